"""A process that forks while its event loop runs: as a script, it prints what parent and children
drew as one line of JSON.

    python forked_loop.py segment|snowflake URL CHILDREN IDS FOLDER [alone]

When it forks, IDs are at hand, and tasks of the parent are waiting for more; with `alone`, nobody
waits.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
import warnings
from array import array
from pathlib import Path

import leafid
from forked import wait
from leafid.testing import Clock


async def draw(ids: leafid.Segment | leafid.Snowflake, count: int) -> list[int]:
    async def some() -> list[int]:
        drawn = []
        for _ in range(count // 10):
            drawn.append(await ids.anext())
            if len(drawn) % 20 == 0:
                await asyncio.sleep(0.0002)
        return drawn

    parts = await asyncio.gather(*(some() for _ in range(10)))
    assert all(a < b for part in parts for a, b in zip(part, part[1:])), "IDs do not ascend"
    return [id for part in parts for id in part]


def child(ids: leafid.Segment | leafid.Snowflake, count: int, file: Path) -> None:
    try:
        array("Q", asyncio.run(draw(ids, count))).tofile(file.open("wb"))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


async def main(kind: str, url: str, children: int, count: int, folder: Path, alone: bool) -> None:
    ids: leafid.Segment | leafid.Snowflake
    clock = Clock()
    if kind == "segment":
        ids = leafid.Segment("forked", url, timeout=30)
        much = 4_000
    else:
        ids = leafid.Snowflake("default", url, timeout=30, max_ahead=0.01, clock=clock)
        much = 40_000
    mine = [await ids.anext()]
    in_hand = ids.stats().in_hand
    # So that no time makes snowflakes before the fork.
    clock.freeze()
    # More than is at hand: these wait while the process forks.
    waiting = [asyncio.create_task(ids.atake(much)) for _ in range(0 if alone else 3)]
    await asyncio.sleep(0)
    waits = sum(not task.done() for task in waiting)
    pids = []
    for at in range(children):
        pid = os.fork()
        if pid == 0:
            clock.thaw()
            child(ids, count, folder / str(at))
        pids.append(pid)
    clock.thaw()
    for part in await asyncio.gather(*waiting):
        mine += part
    mine += await draw(ids, count)
    failed = 0
    for pid in pids:
        failed += await asyncio.to_thread(wait, pid)
    drawn = list(mine)
    for at in range(children):
        if (folder / str(at)).exists():
            drawn += array("Q", (folder / str(at)).read_bytes())
    told = {"ids": len(drawn), "duplicates": len(drawn) - len(set(drawn)), "waits": waits}
    print(json.dumps({**told, "failed": failed, "in_hand": in_hand}))
    await ids.aclose()


if __name__ == "__main__":
    # From 3.12 on, Python warns of any fork beside threads; that it works here is what is shown.
    warnings.simplefilter("ignore", DeprecationWarning)
    kind, url, children, count, folder, *rest = sys.argv[1:]
    asyncio.run(main(kind, url, int(children), int(count), Path(folder), rest == ["alone"]))
