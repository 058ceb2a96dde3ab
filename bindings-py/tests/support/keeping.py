"""A process with a state file that draws, and writes down what it was given, and then waits to be
killed: as a script

    python keeping.py STORE STATE FILE COUNT

It draws far ahead of the clock, so that a life which goes on below the end of the one before gives
the same IDs again.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import leafid

AT_ONCE = 500
AHEAD_S = 20.0


def main(store: str, state: str, file: Path, count: int) -> None:
    ids = leafid.Snowflake("edge", store, state=state, max_ahead=AHEAD_S, timeout=600)
    with file.open("a") as drawn:
        for _ in range(count // AT_ONCE):
            drawn.write("".join(f"{id}\n" for id in ids.take(AT_ONCE)))
            drawn.flush()
    time.sleep(600)


if __name__ == "__main__":
    store, state, file, count = sys.argv[1:]
    main(store, state, Path(file), int(count))
