"""`await ids.anext()` and its like, in asyncio."""

import asyncio
import contextlib
import functools
import gc
import os
import sys
import threading
import weakref
from array import array
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import leafid
from leafid import Segment, _aio
from support.gate import Away, Gate, Slow
from support.waiting import PATIENCE, run_all, until


def in_asyncio(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Runs a test in its own loop, and checks that no caller waits afterwards."""

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        asyncio.run(test(**fixtures))
        assert not _aio._LINES

    return run


async def asked(store: Gate) -> None:
    assert await asyncio.to_thread(store.asked.wait, PATIENCE)


@in_asyncio
async def test_every_verb(memory, make) -> None:
    async with make(memory) as ids:
        drawn = [await ids.anext(), *await ids.atake(100)]
        async for id in ids:
            drawn.append(id)
            if len(drawn) > 120:
                break
        assert await ids.aready(5) is None
        drawn += [ids.next(timeout=0) for _ in range(5)]
        assert await ids.atake(0) == []
        # asyncio accepts it as a coroutine.
        drawn.append(await asyncio.create_task(ids.anext()))
        drawn += await asyncio.gather(*(ids.anext() for _ in range(5)))
        drawn.append(await asyncio.wait_for(ids.anext(), PATIENCE))
        drawn += await asyncio.shield(ids.atake(3))
        await ids.arelease()
        assert ids.stats().in_hand == 0
        drawn.append(await ids.anext())
        assert drawn == sorted(set(drawn))
        assert ids.stats().ids == len(drawn) and not ids.closed
    assert ids.closed
    with pytest.raises(leafid.ClosedError):
        await ids.anext()
    await ids.aclose()


@in_asyncio
async def test_the_loop_goes_on_while_the_store_takes_its_time() -> None:
    store = Slow()
    beside = asyncio.create_task(store.count(asyncio.sleep))
    ids = Segment("orders", store, timeout=PATIENCE * 2)
    assert [await ids.anext() for _ in range(30)] == [*range(1, 31)]
    assert store.turns >= 30, "ten for each range"
    store.over = True
    beside.cancel()


@in_asyncio
async def test_while_ids_are_at_hand_no_other_task_runs(memory, make) -> None:
    ids = make(memory)
    await ids.aready(1_000)
    ran = []
    other = asyncio.create_task(asyncio.sleep(0))
    other.add_done_callback(ran.append)
    for _ in range(500):
        await ids.anext()
    await ids.atake(100)
    await ids.aready(100)
    assert not ran and not other.done()
    await other


@in_asyncio
async def test_nothing_is_drawn_before_it_is_awaited(memory) -> None:
    ids = Segment("orders", memory)
    before = sys.getrefcount(ids)
    for _ in range(100):
        ids.anext().close()
        ids.atake(5).close()
    call = ids.anext()
    assert await call == 1
    with pytest.raises(RuntimeError, match="awaited before"):
        await call
    thrown = ids.anext()
    with pytest.raises(KeyError, match="why"):
        thrown.throw(KeyError("why"))
    del call, thrown
    assert await ids.anext() == 2
    assert sys.getrefcount(ids) == before


@in_asyncio
async def test_callers_are_served_in_order(gate) -> None:
    ids = Segment("orders", gate)
    served: list[tuple[int, object]] = []

    async def draw(at: int, call) -> None:
        served.append((at, await call))

    calls = [ids.anext() if at % 5 else ids.atake(7) for at in range(50)]
    tasks = [asyncio.create_task(draw(at, call)) for at, call in enumerate(calls)]
    await asyncio.sleep(0)
    await asked(gate)
    assert not served
    gate.gate.set()
    late = 0
    while not tasks[49].done():
        # A new caller queues behind all others, even if IDs are at hand just now.
        call = asyncio.create_task(draw(50 + late, ids.anext()))
        tasks.append(call)
        late += 1
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    served.sort(key=lambda pair: pair[0])
    assert [at for at, _ in served] == list(range(50 + late))
    drawn = [id for _, ids in served for id in (ids if isinstance(ids, list) else [ids])]
    assert drawn == sorted(set(drawn)) and late >= 1


@in_asyncio
async def test_who_is_cancelled_while_waiting_loses_nothing(gate) -> None:
    ids = Segment("orders", gate)
    tasks = [asyncio.create_task(ids.anext()) for _ in range(9)]
    await asyncio.sleep(0)
    await asked(gate)
    # Cancels the first in line too: the next one takes its place.
    for task in tasks[::2]:
        task.cancel()
    ended = await asyncio.gather(*tasks[::2], return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ended)
    gate.gate.set()
    assert await asyncio.gather(*tasks[1::2]) == [1, 2, 3, 4]
    assert await ids.anext() == 5
    assert ids.stats().ids == 5


@in_asyncio
async def test_a_time_out(gate) -> None:
    ids = Segment("orders", gate)
    late = [asyncio.create_task(ids.anext(timeout=seconds)) for seconds in (0.2, 0.1)]
    waits = asyncio.create_task(ids.anext(timeout=PATIENCE))
    for task in late:
        with pytest.raises(leafid.TimedOutError, match="within 0.[12] s") as error:
            await task
        assert isinstance(error.value.__cause__, leafid.SegmentDryError)
    with pytest.raises(leafid.TimedOutError):
        await ids.anext(timeout=0)
    with pytest.raises(leafid.RequestInvalidError):
        await ids.anext(timeout=-1)
    with pytest.raises(leafid.CountInvalidError):
        await ids.atake(-1)
    gate.gate.set()
    assert await waits == 1
    for call in (ids.atake, ids.aready):
        with pytest.raises(leafid.CountInvalidError, match="at most"):
            await call(10**9)


@pytest.mark.parametrize("call, instead", [
    (lambda ids: ids.next(), "await ids.anext()"),
    (lambda ids: ids.take(3), "await ids.atake(3)"),
    (lambda ids: ids.ready(3), "await ids.aready(3)"),
    (lambda ids: ids.fill(array("Q", [0] * 3)), "await ids.aready(3)` before `fill"),
])  # fmt: skip
@in_asyncio
async def test_a_call_that_would_stop_the_loop_says_so(gate, call, instead) -> None:
    ids = Segment("orders", gate)
    with pytest.raises(leafid.SegmentDryError) as error:
        call(ids)
    assert f"`{instead}`" in str(error.value) and error.value.code == "SEGMENT_DRY"
    with pytest.raises(leafid.TimedOutError):
        ids.next(timeout=0)
    # The generator has asked the store all the same, and another thread may wait.
    await asked(gate)
    other = asyncio.create_task(asyncio.to_thread(ids.next))
    gate.gate.set()
    assert await other == 1
    await ids.aready(3)
    assert ids.take(3) == [2, 3, 4], "at hand, it is as good as ever"


@in_asyncio
async def test_closing_sends_waiting_callers_home(gate) -> None:
    ids = Segment("orders", gate)
    tasks = [asyncio.create_task(ids.anext()) for _ in range(3)]
    await asyncio.sleep(0)
    await asked(gate)
    closing = asyncio.create_task(ids.aclose())
    for end in await asyncio.gather(*tasks, return_exceptions=True):
        assert isinstance(end, leafid.ClosedError)
    gate.gate.set()
    await closing


def test_loops_in_several_threads_share_a_generator(server) -> None:
    server.create_tag("orders", step=50, max_step=50)
    ids = Segment("orders", server.url, timeout=PATIENCE)
    parts: list[list[int]] = []

    async def main() -> None:
        async def draw() -> list[int]:
            return [await ids.anext() for _ in range(100)] + await ids.atake(30)

        for part in await asyncio.gather(*(draw() for _ in range(5))):
            assert part == sorted(part)
            parts.append(part)

    run_all(threading.Thread(target=asyncio.run, args=(main(),)) for _ in range(4))
    drawn = [id for part in parts for id in part]
    print(f"4 loops: {len(drawn)} IDs, {ids.stats().grants} grants, {ids.stats().waits} waits")
    assert len(drawn) == 4 * 5 * 130 == len(set(drawn))
    assert ids.stats().grants >= 52 and not _aio._LINES
    ids.close()


def test_a_loop_that_watches_no_sockets(gate) -> None:
    class Proactor(asyncio.SelectorEventLoop):
        def add_reader(self, *words: object) -> None:
            raise NotImplementedError

    async def main() -> None:
        ids = Segment("orders", gate)
        tasks = [asyncio.create_task(ids.anext()) for _ in range(3)]
        await asyncio.sleep(0)
        gate.gate.set()
        assert await asyncio.gather(*tasks) == [1, 2, 3]

    # For the loop's own pipe; users' `add_reader` stays unimplemented.
    Proactor._add_reader = asyncio.SelectorEventLoop._add_reader
    with asyncio.Runner(loop_factory=Proactor) as runner:
        runner.run(main())
    assert not _aio._LINES
    assert Segment("orders", gate).next() > 3, "without a loop it may wait again"


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
@in_asyncio
async def test_nothing_is_left_of_a_wait(gate) -> None:
    ids = Segment("orders", gate)
    gate.gate.set()
    await ids.anext()
    gate.shut()
    while ids.stats().in_hand or not gate.hangs.is_set():
        with contextlib.suppress(leafid.TimedOutError):
            await ids.anext(timeout=0.01)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(200):
        with pytest.raises(leafid.TimedOutError):
            await ids.anext(timeout=0.001)
    # Other threads may open descriptors for a moment; leaked ones would stay.
    assert until(lambda: len(os.listdir("/proc/self/fd")) <= before)


def test_without_a_loop_it_says_so(gate) -> None:
    with pytest.raises(RuntimeError, match="no event loop"):
        Segment("orders", gate).anext().send(None)


@in_asyncio
async def test_who_wants_too_much_does_not_keep_others_from_what_is_at_hand() -> None:
    store = Away()
    ids = Segment("orders", store, timeout=PATIENCE)
    assert await ids.anext() == 1
    store.away = True
    # Nine IDs are left.
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
    # New callers are served as well, unless they want more than there is.
    other, last = start("other", ids.atake(7)), start("last", ids.anext())
    assert await asyncio.wait_for(last, PATIENCE) == 5
    await asyncio.wait_for(start("ready", ids.aready(5)), PATIENCE)
    assert not much.done() and not other.done()
    store.away = False
    assert await much == [*range(6, 16)] and await other == [*range(16, 23)]
    assert served == ["one", "pair", "last", "ready", "much", "other"]
    ids.close()


def test_a_loop_that_is_closed_while_several_wait_says_nothing(gate, monkeypatch) -> None:
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: ignored.append(told.exc_value))
    ids = Segment("orders", gate)
    loop = asyncio.new_event_loop()
    tasks = [loop.create_task(ids.anext()) for _ in range(3)]
    loop.run_until_complete(asyncio.sleep(0.001))
    assert _aio._LINES
    for task in tasks:
        task._log_destroy_pending = False
    dropped = [weakref.ref(task) for task in tasks]
    loop.close()
    gate.gate.set()

    async def main() -> None:
        # The next caller that waits removes the closed loop's callers.
        assert await ids.atake(10) and await ids.atake(10)

    asyncio.run(main())
    del task, tasks
    gc.collect()
    assert not ignored and not _aio._LINES
    assert not any(task() for task in dropped)


@in_asyncio
async def test_who_is_cancelled_when_served_loses_what_it_got() -> None:
    class Fails(Gate):
        away = False

        def lease_segment(self, ask):
            granted = super().lease_segment(ask)
            if self.away:
                raise leafid.StoreUnavailableError("the store is away")
            return granted

    store = Fails()
    store.gate.set()
    ids = Segment("orders", store, timeout=PATIENCE)
    assert await ids.anext() == 1
    store.shut()
    store.away = True
    much, one = asyncio.create_task(ids.atake(10)), asyncio.create_task(ids.anext())
    await asyncio.sleep(0)
    (line,) = _aio._LINES.values()
    store.gate.set()
    assert until(lambda: ids.stats().failures)
    # The first one's turn serves it, although the loop never resumes its task.
    assert line.pass_first() and line.callers[1].value == 2
    for task in (one, much):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    store.away = False
    assert await ids.anext() == 3
    assert ids.stats().ids == 3


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
