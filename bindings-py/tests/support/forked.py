"""A script that forks, and prints a summary of its children's IDs as one line of JSON.

    python forked.py segment|snowflake URL CHILDREN IDS FOLDER [close|unguarded|loop|alone]

The children inherit one generator with a range in hand. With `close`, the parent closes it while
they draw. With `unguarded`, the children do not close theirs: that would wait seconds for a thread
of the parent. With `loop`, the process forks while its event loop runs, IDs are at hand, and tasks
wait for more; with `alone`, no task waits.
"""

import asyncio
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
from leafid.testing import Clock

# Far more than a child needs on a busy machine.
PATIENCE_S = 120
Ids = leafid.Segment | leafid.Snowflake


def main(kind: str, url: str, children: int, count: int, folder: Path, word: str) -> None:
    ids = generator(kind, url)
    # The first range has the tag's own step; `take` alone would lease only as many as it takes.
    mine = [ids.next()]
    mine += ids.take(4)
    in_hand = ids.stats().in_hand
    begun, started = os.pipe()

    def draw() -> list[int]:
        drawn = [ids.next()]
        os.write(started, b".")
        while len(drawn) < count:
            # In small batches, so that the children interleave in every ms, even with few
            # processors.
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


async def drawn_in_a_loop(ids: Ids, count: int) -> list[int]:
    async def some() -> list[int]:
        drawn = []
        for _ in range(count // 10):
            drawn.append(await ids.anext())
            if len(drawn) % 20 == 0:
                await asyncio.sleep(0.0002)
        return drawn

    parts = await asyncio.gather(*(some() for _ in range(10)))
    assert all(part == sorted(part) for part in parts), "IDs do not ascend"
    return [id for part in parts for id in part]


async def in_a_loop(kind: str, url: str, children: int, count: int, folder: Path, word: str) -> None:
    clock = Clock()
    ids = generator(kind, url, max_ahead=0.01, clock=clock)
    mine = [await ids.anext()]
    in_hand = ids.stats().in_hand
    # Frozen, so that no new ticks bring snowflakes before the fork.
    clock.freeze()
    # More than is at hand: these tasks wait while the process forks.
    much = 4_000 if kind == "segment" else 40_000
    waiting = [asyncio.create_task(ids.atake(much)) for _ in range(0 if word == "alone" else 3)]
    await asyncio.sleep(0)
    waits = sum(not task.done() for task in waiting)

    def drawn_by_a_child() -> list[int]:
        clock.thaw()
        return asyncio.run(drawn_in_a_loop(ids, count))

    pids = fork(children, drawn_by_a_child, folder)
    clock.thaw()
    for part in await asyncio.gather(*waiting):
        mine += part
    mine += await drawn_in_a_loop(ids, count)
    failed = sum([await asyncio.to_thread(wait, pid) for pid in pids])
    tell(mine, folder, failed=failed, in_hand=in_hand, waits=waits)
    await ids.aclose()


def generator(kind: str, url: str, **how: object) -> Ids:
    if kind == "segment":
        return leafid.Segment("forked", url, timeout=30)
    return leafid.Snowflake("default", url, timeout=30, **how)


def fork(children: int, draw: Callable[[], Iterable[int]], folder: Path) -> list[int]:
    """Forks children that write their IDs to files; returns the process IDs."""
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
    """Whether the child failed; one that hangs is killed."""
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
    # From 3.12 on, Python warns of every fork with threads; this test shows that it works.
    warnings.simplefilter("ignore", DeprecationWarning)
    kind, url, children, count, folder, *rest = sys.argv[1:]
    given = kind, url, int(children), int(count), Path(folder), *(rest or [""])
    asyncio.run(in_a_loop(*given)) if rest in (["loop"], ["alone"]) else main(*given)
