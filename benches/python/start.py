"""The time of `import leafid`, beside that of an empty native module.

    python benches/python/start.py        with leafid and leafid_floor
"""

from __future__ import annotations

import statistics
import subprocess
import sys

STARTS = 25


def imported(module: str) -> float:
    """The time of an import in ms, with everything below it."""
    command = [sys.executable, "-X", "importtime", "-c", f"import {module}"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    for line in said.splitlines():
        _, cumulative, name = line.split("|")
        if name.strip() == module:
            return int(cumulative) / 1_000
    raise AssertionError(f"`{module}` was not imported")


def main() -> None:
    modules = ["leafid_floor", "leafid"]
    taken = {module: [] for module in modules}
    for _ in range(STARTS):
        for module in modules:
            taken[module].append(imported(module))
    print("\n| Python: the first import of a process | ms |\n|---|---|")
    for module, times in taken.items():
        print(f"| `import {module}` | {statistics.median(times):.1f} |")


if __name__ == "__main__":
    main()
