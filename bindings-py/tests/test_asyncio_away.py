"""`await ids.anext()` in asyncio while the store is away, and when the loop ends meanwhile."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import weakref
from pathlib import Path

import pytest

from leafid import Segment, _aio
from support.gate import Away
from support.loops import in_asyncio
from support.waiting import PATIENCE


async def came_true(condition) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)


@in_asyncio
async def test_who_wants_too_much_does_not_keep_others_from_what_is_at_hand() -> None:
    store = Away()
    ids = Segment("orders", store, timeout=PATIENCE)
    assert await ids.anext() == 1
    store.away = True
    # Nine are left.
    served: list[str] = []

    async def draw(name: str, call):
        drawn = await call
        served.append(name)
        return drawn

    def start(name: str, call) -> asyncio.Task:
        return asyncio.create_task(draw(name, call))

    much, one, pair = (
        start("much", ids.atake(10)), start("one", ids.anext()), start("pair", ids.atake(2))
    )  # fmt: skip
    await asyncio.wait({one, pair}, timeout=PATIENCE)
    assert one.result() == 2 and pair.result() == [3, 4]
    assert ids.stats().failures
    # Who comes now, too; but not who wants more than there is.
    other, last = start("other", ids.atake(7)), start("last", ids.anext())
    assert await asyncio.wait_for(last, PATIENCE) == 5
    await asyncio.wait_for(start("ready", ids.aready(5)), PATIENCE)
    assert not much.done() and not other.done()
    store.away = False
    assert await much == [*range(6, 16)] and await other == [*range(16, 23)]
    assert served == ["one", "pair", "last", "ready", "much", "other"]
    ids.close()


@in_asyncio
async def test_a_long_line_is_served_in_order_after_an_outage() -> None:
    store = Away()
    store.away = True
    ids = Segment("orders", store, timeout=PATIENCE)
    first = asyncio.create_task(ids.anext())
    await came_true(lambda: ids.stats().failures)
    tasks = [first, *(asyncio.create_task(ids.anext()) for _ in range(3_000))]
    await asyncio.sleep(0)
    (queue,) = _aio._QUEUES.values()
    assert len(queue.callers) == 3_001
    store.away = False
    assert await asyncio.gather(*tasks) == [*range(1, 3_002)], "in order"
    ids.close()


def test_a_loop_that_is_closed_while_several_wait_says_nothing(gate, monkeypatch) -> None:
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: ignored.append(told.exc_value))
    ids = Segment("orders", gate)
    loop = asyncio.new_event_loop()
    tasks = [loop.create_task(ids.anext()) for _ in range(3)]
    loop.run_until_complete(asyncio.sleep(0.001))
    assert _aio._QUEUES
    for task in tasks:
        task._log_destroy_pending = False
    dropped = [weakref.ref(task) for task in tasks]
    loop.close()
    gate.gate.set()

    async def main() -> None:
        # The next one that waits clears them away.
        assert await ids.atake(10) and await ids.atake(10)

    asyncio.run(main())
    del task, tasks
    gc.collect()
    assert not ignored and not _aio._QUEUES
    assert not any(task() for task in dropped)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read in /proc")
def test_waits_without_an_answer_leave_nothing_behind(gate, monkeypatch) -> None:
    ids = Segment("orders", gate)
    waiters = []

    async def wait(waiter):
        waiters.append(waiter)

    with monkeypatch.context() as patch:
        patch.setattr(_aio, "wait", wait)
        with pytest.raises(StopIteration):
            ids.anext().send(None)

    def pages() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    def wait_often(times: int) -> None:
        for _ in range(times):
            waiters[0].bell()

    wait_often(10_000)
    before = pages()
    wait_often(100_000)
    grown = (pages() - before) * os.sysconf("SC_PAGE_SIZE")
    print(f"100000 waits: {grown} bytes more")
    gate.gate.set()
    assert grown < 2_000_000, "each wait left some 50 bytes"
