"""Waiting in event loops, for asyncio and trio: what an `await` does where no ID is at hand."""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from ._native import LoopBell, Waiter

# How often a loop looks that cannot watch a bell (Windows' default), in s.
_LOOK = 0.005


async def wait(waiter: Waiter) -> Any:
    """What the call gives, once it is its turn and the IDs are there."""
    asyncio, trio = sys.modules.get("asyncio"), sys.modules.get("trio")
    # Of a module that another thread imports just now, the function may be missing.
    in_task = getattr(getattr(trio, "lowlevel", None), "in_trio_task", None)
    in_trio = in_task is not None and in_task()
    if asyncio is not None and (loop := asyncio._get_running_loop()) is not None:
        # One may run inside the other: as a guest, trio's tasks are no tasks of asyncio's.
        if not in_trio or asyncio.current_task(loop) is not None:
            return await _in_asyncio(loop, waiter)
    if in_trio:
        return await _in_trio(trio, waiter)
    raise RuntimeError("no event loop of asyncio or trio runs in this thread")


_QUEUES: dict[tuple[Any, Any], _Queue] = {}
_LINES: dict[tuple[Any, Any], _Line] = {}


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

    __slots__ = ("count", "future", "queued", "timer", "waiter")

    def __init__(self, future: Any, waiter: Waiter) -> None:
        # Of asyncio, or a `_Given`.
        self.future, self.waiter, self.queued = future, waiter, True
        self.count = waiter.count
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


def _pass_first(callers: Sequence[_Caller]) -> list[_Caller]:
    """Who was served though the first one has to wait: while the store is away, what is at hand is
    given to those for whom it is enough, in order."""
    passed: list[_Caller] = []
    if not (spare := callers[0].waiter.spare()):
        return passed
    for caller in list(callers)[1:]:
        if caller.count > spare or caller.future.done() or caller.step() is not None:
            continue
        passed.append(caller)
        if not (spare := caller.waiter.spare()):
            break
    return passed


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
                queue.end()
        self.loop, self.key = loop, key
        self.callers: deque[_Caller] = deque()
        self.again: asyncio.TimerHandle | None = None
        self.bell: LoopBell | None = waiter.bell()
        self.watched = self.bell.descriptor()
        if self.watched is not None:
            try:
                loop.add_reader(self.watched, self.rung)
            except NotImplementedError:
                # Windows' proactor loop watches no sockets: `serve` looks again every
                # `_LOOK` seconds instead.
                self.watched = None
        _QUEUES[key] = self

    def join(self, caller: _Caller) -> None:
        self.callers.append(caller)
        left = caller.waiter.left
        if left is not None:
            caller.timer = self.loop.call_later(left, self.late, caller)
        if len(self.callers) == 1 or caller.count <= caller.waiter.spare():
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
            if rest is None:
                self.callers.popleft().queued = False
            elif passed := _pass_first(self.callers):
                for caller in passed:
                    caller.queued = False
                    self.callers.remove(caller)
                # The first one tries again: the generator notes what was wanted last.
            else:
                rest = rest if self.watched is not None else min(rest, _LOOK)
                self.again = self.loop.call_later(rest, self.serve)
                return
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
            if not self.callers or self.loop.is_closed():
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


class _Given:
    """What a caller in trio was given; it ends the wait."""

    def __init__(self, scope: Any) -> None:
        self.scope, self.is_done = scope, False
        self.value: Any = None
        self.error: Exception | None = None

    def done(self) -> bool:
        return self.is_done

    def set_result(self, value: Any) -> None:
        self.value, self.is_done = value, True
        self.scope.cancel()

    def set_exception(self, error: Exception) -> None:
        self.error, self.is_done = error, True
        self.scope.cancel()

    def result(self) -> Any:
        error, self.error = self.error, None
        try:
            if error is not None:
                raise error
            return self.value
        finally:
            del error  # Its traceback would keep itself.


class _Line:
    """The callers of one generator that wait in one run of trio; who has the lock is the first."""

    def __init__(self, trio: Any) -> None:
        self.lock = trio.Lock()
        self.callers: list[_Caller] = []


async def _in_trio(trio: Any, waiter: Waiter) -> Any:
    key = (trio.lowlevel.current_trio_token(), waiter.source or waiter)
    line = _LINES.get(key)
    if line is None:
        line = _LINES[key] = _Line(trio)
    left = waiter.left
    scope = trio.move_on_after(float("inf") if left is None else left)
    caller = _Caller(_Given(scope), waiter)
    line.callers.append(caller)
    try:
        with scope:
            if line.callers[0] is not caller and caller.count <= waiter.spare():
                _pass_first(line.callers)
            async with line.lock:
                await _first_in_trio(trio, line, caller)
        while (rest := caller.step()) is not None:
            await trio.sleep(rest)
        return caller.future.result()
    finally:
        line.callers.remove(caller)
        if not line.callers:
            _LINES.pop(key, None)


async def _first_in_trio(trio: Any, line: _Line, caller: _Caller) -> None:
    bell = caller.waiter.bell()
    try:
        watched = bell.descriptor()
        while True:
            bell.hush()
            if (rest := caller.step()) is None:
                return
            if line.callers[0] is caller and _pass_first(line.callers):
                continue
            if watched is None:
                await trio.sleep(min(rest, _LOOK))
            else:
                with trio.move_on_after(rest):
                    await trio.lowlevel.wait_readable(watched)
    finally:
        # A traceback would keep it, and its descriptors.
        del bell
