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
from pathlib import Path

import leafid

# Far more than a child takes on a busy machine.
PATIENCE_S = 120


def main(kind: str, url: str, children: int, count: int, folder: Path, word: str) -> None:
    if kind == "segment":
        ids = leafid.Segment("forked", url, timeout=20)
    else:
        ids = leafid.Snowflake("default", url, timeout=20)
    # The first range is of the tag's own step; `take` alone would lease as many as it takes.
    mine = [ids.next()]
    mine += ids.take(99)
    in_hand = ids.stats().in_hand
    gate, opened = os.pipe()
    begun, started = os.pipe()
    pids = []
    for child in range(children):
        pid = os.fork()
        if pid == 0:
            try:
                os.read(gate, 1)
                first = array("Q", [ids.next()])
                os.write(started, b".")
                while len(first) < count:
                    # In small batches, so that the children draw beside each other in every ms,
                    # however few processors there are.
                    first.extend(ids.next() for _ in range(min(100, count - len(first))))
                    time.sleep(0.0002)
                first.tofile((folder / str(child)).open("wb"))
                (folder / f"{child}.stats").write_text(json.dumps(ids.stats()._asdict()))
                if word != "unguarded":
                    ids.close()
                os._exit(0)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        pids.append(pid)
    os.write(opened, b"." * children)
    if word == "close":
        os.read(begun, 1)
        ids.close()
    else:
        mine += ids.take(100)
    failed = sum(wait(pid) for pid in pids)
    drawn = list(mine)
    grants = 0
    for child in range(children):
        if (folder / str(child)).exists():
            part = array("Q", (folder / str(child)).read_bytes())
            assert all(a < b for a, b in zip(part, part[1:])), "a child's IDs do not ascend"
            assert part[0] > mine[99], "a child went back behind its parent"
            drawn.extend(part)
            grants += json.loads((folder / f"{child}.stats").read_text())["grants"]
    told = {"ids": len(drawn), "duplicates": len(drawn) - len(set(drawn)), "grants": grants}
    print(json.dumps({**told, "failed": failed, "in_hand": in_hand}))


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
