"""A process that forks while its event loop runs: as a script, it prints what parent and children
drew as one line of JSON.

    python forked_loop.py segment|snowflake URL CHILDREN IDS FOLDER [alone]

When it forks, IDs are at hand, and tasks of the parent are waiting for more; with `alone`, nobody
waits.
"""

from __future__ import annotations

import asyncio
import sys
import warnings
from pathlib import Path

from forked import Ids, fork, generator, tell, wait
from leafid.testing import Clock


async def draw(ids: Ids, count: int) -> list[int]:
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


async def main(kind: str, url: str, children: int, count: int, folder: Path, alone: bool) -> None:
    clock = Clock()
    ids = generator(kind, url, max_ahead=0.01, clock=clock)
    mine = [await ids.anext()]
    in_hand = ids.stats().in_hand
    # So that no time makes snowflakes before the fork.
    clock.freeze()
    # More than is at hand: these wait while the process forks.
    much = 4_000 if kind == "segment" else 40_000
    waiting = [asyncio.create_task(ids.atake(much)) for _ in range(0 if alone else 3)]
    await asyncio.sleep(0)
    waits = sum(not task.done() for task in waiting)

    def drawn_by_a_child() -> list[int]:
        clock.thaw()
        return asyncio.run(draw(ids, count))

    pids = fork(children, drawn_by_a_child, folder)
    clock.thaw()
    for part in await asyncio.gather(*waiting):
        mine += part
    mine += await draw(ids, count)
    failed = sum([await asyncio.to_thread(wait, pid) for pid in pids])
    tell(mine, folder, failed=failed, in_hand=in_hand, waits=waits)
    await ids.aclose()


if __name__ == "__main__":
    # From 3.12 on, Python warns of any fork beside threads; that it works here is what is shown.
    warnings.simplefilter("ignore", DeprecationWarning)
    kind, url, children, count, folder, *rest = sys.argv[1:]
    asyncio.run(main(kind, url, int(children), int(count), Path(folder), rest == ["alone"]))
