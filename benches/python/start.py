"""What a new Python process pays for leafid before its first ID, as a command, a test or a function in a cloud does: the
processor time of an import in a process of its own, beside that of a native module that does nothing.

    python benches/python/start.py      with leafid and leafid_floor: `cargo xtask bench --only python`
"""

from __future__ import annotations

import statistics
import subprocess
import sys

from rounds import ROUNDS, show

PROGRAMS = {
    "`import` of a native module that does nothing (the floor)": "import leafid_floor",
    "`import asyncio`": "import asyncio",
    "`import leafid`": "import leafid",
    "`import leafid`, and the first number of a store in memory": (
        "import leafid; leafid.Segment('orders', store='memory:').next()"
    ),
}


def started(program: str) -> float:
    """The processor time of a program in a new process, in ms."""
    measured = f"import time; begin = time.process_time(); {program}; print(time.process_time() - begin)"
    return 1_000 * float(subprocess.check_output([sys.executable, "-c", measured]))


taken: dict[str, list[float]] = {name: [] for name in PROGRAMS}
for _ in range(ROUNDS):
    for name, program in PROGRAMS.items():
        taken[name].append(started(program))
show("Python: a process that was just started", {name: statistics.median(ms) for name, ms in taken.items()}, "ms")
