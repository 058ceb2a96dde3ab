"""A process that forks: run as a script, it prints what its children drew as one line of JSON.

    python forked.py segment|snowflake URL CHILDREN IDS FOLDER [close|unguarded]

The children inherit one generator with a range in hand. With `close`, the parent closes it while
they draw. With `unguarded`, the children do not: they would wait seconds for a thread of the parent.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
import warnings
from array import array
from collections.abc import Callable, Iterable
from pathlib import Path

import leafid

# Far more than a child takes on a busy machine.
PATIENCE_S = 120
Ids = leafid.Segment | leafid.Snowflake


def main(kind: str, url: str, children: int, count: int, folder: Path, word: str) -> None:
    ids = generator(kind, url)
    # The first range is of the tag's own step; `take` alone would lease as many as it takes.
    mine = [ids.next()]
    mine += ids.take(4)
    in_hand = ids.stats().in_hand
    begun, started = os.pipe()

    def draw() -> list[int]:
        drawn = [ids.next()]
        os.write(started, b".")
        while len(drawn) < count:
            # In small batches, so that the children draw beside each other in every ms,
            # however few processors there are.
            drawn.extend(ids.next() for _ in range(min(100, count - len(drawn))))
            time.sleep(0.0002)
        if word != "unguarded":
            ids.close()
        assert drawn == sorted(drawn), "a child's IDs do not ascend"
        assert drawn[0] > mine[4], "a child went back behind its parent"
        return drawn

    pids = fork(children, draw, folder)
    if word == "close":
        os.read(begun, 1)
        ids.close()
    else:
        mine += ids.take(5)
    tell(mine, folder, failed=sum(map(wait, pids)), in_hand=in_hand)


def generator(kind: str, url: str, **how: object) -> Ids:
    if kind == "segment":
        return leafid.Segment("forked", url, timeout=30)
    return leafid.Snowflake("default", url, timeout=30, **how)


def fork(children: int, draw: Callable[[], Iterable[int]], folder: Path) -> list[int]:
    """So many children that leave what they draw in files; the process IDs."""
    pids = []
    for child in range(children):
        pid = os.fork()
        if pid == 0:
            try:
                array("Q", draw()).tofile((folder / f"{child}.ids").open("wb"))
                os._exit(0)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        pids.append(pid)
    return pids


def tell(mine: list[int], folder: Path, **more: int) -> None:
    drawn = list(mine)
    for file in folder.glob("*.ids"):
        drawn.extend(array("Q", file.read_bytes()))
    print(json.dumps({"ids": len(drawn), "duplicates": len(drawn) - len(set(drawn)), **more}))


def wait(pid: int) -> bool:
    """Whether the child failed; one that hangs is ended, by its id."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status != 0
        time.sleep(0.005)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return True


if __name__ == "__main__":
    # From 3.12 on, Python warns of any fork beside threads; that it works here is what is shown.
    warnings.simplefilter("ignore", DeprecationWarning)
    kind, url, children, count, folder, *rest = sys.argv[1:]
    main(kind, url, int(children), int(count), Path(folder), *rest or [""])
