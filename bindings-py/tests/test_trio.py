"""`await ids.anext()` and its like, in trio: how it rests there; the queue of callers is shared with asyncio."""

import asyncio
import functools
import os
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
import trio.testing

import leafid
from leafid import Segment, _aio
from support.gate import Gate
from support.waiting import PATIENCE, until


def in_trio(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Runs a test in its own loop, and checks that no caller waits afterwards."""

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        trio.run(functools.partial(test, **fixtures))
        assert not _aio._LINES

    return run


@in_trio
async def test_callers_wait_in_order_and_can_be_cancelled(gate) -> None:
    served: list[tuple[int, int]] = []
    ids = Segment("orders", gate)

    async def draw(at: int) -> None:
        served.append((at, await ids.anext()))

    with pytest.raises(leafid.SegmentDryError, match="`await ids.anext"):
        ids.next()
    async with trio.open_nursery() as nursery:
        scopes = []
        for at in range(9):
            scope = await nursery.start(in_scope, draw, at)
            scopes.append(scope)
            await trio.testing.wait_all_tasks_blocked()
        for scope in scopes[::2]:
            scope.cancel()
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(leafid.TimedOutError):
            await ids.anext(timeout=0.01)
        gate.gate.set()
    assert await ids.anext() == 5
    assert served == [(1, 1), (3, 2), (5, 3), (7, 4)]


async def in_scope(draw, at: int, *, task_status) -> None:
    with trio.CancelScope() as scope:
        task_status.started(scope)
        await draw(at)


def test_as_a_guest_of_asyncio(gate) -> None:
    drawn: list[object] = []

    async def guest() -> None:
        ids = Segment("orders", gate)
        with pytest.raises(leafid.SegmentDryError, match="`await ids.anext"):
            ids.next()
        async with trio.open_nursery() as nursery:

            async def draw() -> None:
                drawn.append(await ids.anext())

            nursery.start_soon(draw)
            nursery.start_soon(draw)
            await trio.sleep(0)
            gate.gate.set()
        drawn.append(await ids.atake(3))

    async def host() -> None:
        loop = asyncio.get_running_loop()
        over = loop.create_future()
        trio.lowlevel.start_guest_run(
            guest,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            done_callback=over.set_result,
        )
        # asyncio's own tasks wait beside it as usual.
        store = Gate()
        mine = asyncio.create_task(Segment("orders", store).anext())
        await asyncio.sleep(0)
        store.gate.set()
        assert await mine == 1
        (await over).unwrap()

    asyncio.run(host())
    assert drawn == [1, 2, [3, 4, 5]]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
@in_trio
async def test_an_error_that_is_kept_keeps_no_descriptor() -> None:
    class Unknown:
        def lease_segment(self, ask):
            raise leafid.TagUnknownError("there is no such tag")

    kept: list[Exception] = []

    async def fail() -> None:
        with pytest.raises(leafid.TagUnknownError) as raised:
            await Segment("orders", Unknown()).anext(timeout=PATIENCE)
        kept.append(raised.value)

    await fail()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(9):
        await fail()
    # Other threads may open descriptors for a moment; those kept by an error would stay.
    assert until(lambda: len(os.listdir("/proc/self/fd")) <= before)
    assert len(kept) == 10
