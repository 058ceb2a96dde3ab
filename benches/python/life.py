"""One process that draws IDs, writes them to a file, and ends as if by `kill -9`: as a script

    python life.py LIBRARY STORE OUT fork
    python life.py LIBRARY STORE OUT OFFSET=SECONDS …

From then on the machine's clock has this OFFSET, in the format of libfaketime's file that
`FAKETIME_TIMESTAMP_FILE` names; SECONDS are those of the real clock.
"""

from __future__ import annotations

import os
import select
import sys
import time
from array import array
from typing import BinaryIO

from libraries import LIBRARIES, Draw

WORKERS, EACH = 4, 20_000
AT_ONCE, PAUSE_S = 20, 0.000_5
# Drawn while the clock stands still: every library has this many IDs in a tick.
FEW = 20


def batch(draw: Draw, count: int) -> array[int]:
    """Draws up to `count` IDs; drops `None`."""
    return array("Q", [int(id) for _ in range(count) if (id := draw()) is not None])


def forked(draw: Draw, out: BinaryIO) -> None:
    """Forks workers that inherit one used generator."""
    batch(draw, 1)
    pids = []
    for _ in range(WORKERS):
        pid = os.fork()
        if pid == 0:
            drawn = array("Q")
            while len(drawn) < EACH:
                drawn += batch(draw, min(AT_ONCE, EACH - len(drawn)))
            # One append, so that the workers' writes do not mix.
            os.write(out.fileno(), drawn.tobytes())
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        assert os.waitpid(pid, 0)[1] == 0, "a worker failed"


def lived(draw: Draw, out: BinaryIO, plan: list[str]) -> None:
    """Draws while the clock is set to other times."""
    for part in plan:
        offset, seconds = part.split("=")
        set_clock(offset)
        end, before = time.monotonic() + float(seconds), out.tell()
        out.write(batch(draw, FEW).tobytes())
        while time.monotonic() < end:
            out.write(batch(draw, AT_ONCE).tobytes())
            out.flush()
            # Not `time.sleep`, which would wait on libfaketime's clock.
            select.select([], [], [], PAUSE_S)
        if out.tell() == before:
            raise SystemExit("none")


def set_clock(offset: str) -> None:
    with open(os.environ["FAKETIME_TIMESTAMP_FILE"], "w") as file:
        file.write(offset)


def main(name: str, store: str, path: str, plan: list[str]) -> None:
    (build,) = (build for library, _, build, _ in LIBRARIES if library == name)
    with open(path, "ab") as out:
        if plan == ["fork"]:
            forked(build(store), out)
        else:
            set_clock(plan[0].split("=")[0])
            lived(build(store), out, plan)
        out.flush()
        os._exit(0)


if __name__ == "__main__":
    library, store, path, *plan = sys.argv[1:]
    main(library, store, path, plan)
