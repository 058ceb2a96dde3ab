"""Waiting in event loops, for asyncio and trio: what an `await` does where no ID is at hand."""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from ._native import LoopBell, Waiter

# How often a loop looks that cannot watch a bell (Windows' default), in s.
_LOOK = 0.005


async def wait(waiter: Waiter) -> Any:
    """What the call gives, once it is its turn and the IDs are there."""
    asyncio, trio = sys.modules.get("asyncio"), sys.modules.get("trio")
    if asyncio is not None and (loop := asyncio._get_running_loop()) is not None:
        return await _in_asyncio(loop, waiter)
    if trio is not None and trio.lowlevel.in_trio_run():
        return await _in_trio(trio, waiter)
    raise RuntimeError("no event loop of asyncio or trio runs in this thread")


_QUEUES: dict[tuple[Any, Any], _Queue] = {}
_LOCKS: dict[tuple[Any, Any], Any] = {}


async def _in_asyncio(loop: asyncio.AbstractEventLoop, waiter: Waiter) -> Any:
    key = (loop, waiter.source or waiter)
    queue = _QUEUES.get(key)
    if queue is None:
        queue = _Queue(loop, key, waiter)
    caller = _Caller(loop.create_future(), waiter)
    queue.join(caller)
    try:
        return await caller.future
    finally:
        queue.leave(caller)


class _Caller:
    """One that waits."""

    __slots__ = ("future", "queued", "timer", "waiter")

    def __init__(self, future: asyncio.Future[Any], waiter: Waiter) -> None:
        self.future, self.waiter, self.queued = future, waiter, True
        self.timer: asyncio.TimerHandle | None = None

    def step(self) -> float | None:
        """Tries once; how many seconds to rest, if it has to wait on."""
        if self.future.done():
            return None
        try:
            there, what = self.waiter.step()
        except Exception as error:
            self.future.set_exception(error)
            return None
        if not there:
            return float(what)
        self.future.set_result(what)
        return None


class _Queue:
    """The callers of one generator that wait in one loop: served in order, by the loop itself.

    There is one only while somebody waits. It draws for its callers, so that nobody who comes
    between an answer and the moment when a task goes on is served first.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, key: tuple[Any, Any], waiter: Waiter
    ) -> None:
        for known, queue in list(_QUEUES.items()):
            if known[0].is_closed():
                # A loop that was closed while somebody waited: nobody will come back.
                _QUEUES.pop(known, None)
        self.loop, self.key = loop, key
        self.callers: deque[_Caller] = deque()
        self.again: asyncio.TimerHandle | None = None
        self.bell: LoopBell | None = waiter.bell()
        self.watched = self.bell.descriptor()
        if self.watched is not None:
            try:
                loop.add_reader(self.watched, self.rung)
            except NotImplementedError:
                self.watched = None
        _QUEUES[key] = self

    def join(self, caller: _Caller) -> None:
        self.callers.append(caller)
        left = caller.waiter.left
        if left is not None:
            caller.timer = self.loop.call_later(left, self.late, caller)
        if len(self.callers) == 1:
            self.serve()

    def rung(self) -> None:
        if self.bell is not None:
            self.bell.hush()
            self.serve()

    def serve(self) -> None:
        """Gives the callers what there is, the first one first."""
        if self.again is not None:
            self.again.cancel()
            self.again = None
        while self.callers:
            rest = self.callers[0].step()
            if rest is not None:
                rest = rest if self.watched is not None else min(rest, _LOOK)
                self.again = self.loop.call_later(rest, self.serve)
                return
            self.callers.popleft().queued = False
        self.end()

    def late(self, caller: _Caller) -> None:
        """The time of one is up: it has what is at hand now, or its error."""
        rest = caller.step()
        if rest is not None:
            # Timers of a loop may be early by the resolution of its clock.
            caller.timer = self.loop.call_later(rest, self.late, caller)
        else:
            self.leave(caller)

    def leave(self, caller: _Caller) -> None:
        """It waits no longer: served, late or cancelled."""
        if caller.timer is not None:
            caller.timer.cancel()
        future = caller.future
        if future.done() and not future.cancelled():
            future.exception()  # Of one that was cancelled at the same moment, nobody will ask.
        if caller.queued:
            caller.queued = False
            was_first = self.callers[0] is caller
            self.callers.remove(caller)
            if not self.callers:
                self.end()
            elif was_first:
                self.loop.call_soon(self.serve)

    def end(self) -> None:
        if self.bell is None:
            return
        if self.again is not None:
            self.again.cancel()
        if self.watched is not None and not self.loop.is_closed():
            self.loop.remove_reader(self.watched)
        self.bell = None
        _QUEUES.pop(self.key, None)


async def _in_trio(trio: Any, waiter: Waiter) -> Any:
    key = (trio.lowlevel.current_trio_token(), waiter.source or waiter)
    # Who waits for the lock is served in order.
    lock = _LOCKS.setdefault(key, trio.Lock())
    left = waiter.left
    try:
        with trio.move_on_after(float("inf") if left is None else left):
            async with lock:
                return await _first_in_trio(trio, waiter)
        while True:
            there, what = waiter.step()
            if there:
                return what
            await trio.sleep(what)
    finally:
        seen = lock.statistics()
        if not seen.locked and not seen.tasks_waiting:
            _LOCKS.pop(key, None)


async def _first_in_trio(trio: Any, waiter: Waiter) -> Any:
    bell = waiter.bell()
    watched = bell.descriptor()
    while True:
        bell.hush()
        there, what = waiter.step()
        if there:
            return what
        if watched is None:
            await trio.sleep(min(what, _LOOK))
        else:
            with trio.move_on_after(what):
                await trio.lowlevel.wait_readable(watched)
