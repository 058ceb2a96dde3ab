"""One process that draws IDs and writes them down, and ends as `kill -9` would end it: as a script

    python life.py LIBRARY STORE OUT fork
    python life.py LIBRARY STORE OUT OFFSET=SECONDS …

An OFFSET is what the machine's clock shows from then on, as libfaketime has it in the file that
`FAKETIME_TIMESTAMP_FILE` names; SECONDS are those of a clock that nobody moves.
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
# While the clock stands, no more than a tick of any of them has.
FEW = 20


def batch(draw: Draw, count: int) -> array[int]:
    """Up to so many; `None` is no ID."""
    return array("Q", [int(id) for _ in range(count) if (id := draw()) is not None])


def forked(draw: Draw, out: BinaryIO) -> None:
    """Workers that inherit one generator, which was used before."""
    batch(draw, 1)
    pids = []
    for _ in range(WORKERS):
        pid = os.fork()
        if pid == 0:
            drawn = array("Q")
            while len(drawn) < EACH:
                drawn += batch(draw, min(AT_ONCE, EACH - len(drawn)))
            # One write of a whole file's end: it is not torn by the others'.
            os.write(out.fileno(), drawn.tobytes())
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        assert os.waitpid(pid, 0)[1] == 0, "a worker failed"


def lived(draw: Draw, out: BinaryIO, plan: list[str]) -> None:
    """Draws while the clock is moved."""
    for part in plan:
        offset, seconds = part.split("=")
        set_clock(offset)
        end, before = time.monotonic() + float(seconds), out.tell()
        out.write(batch(draw, FEW).tobytes())
        while time.monotonic() < end:
            out.write(batch(draw, AT_ONCE).tobytes())
            out.flush()
            # Not `time.sleep`, which waits for a moment of the clock that libfaketime has in hand.
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
