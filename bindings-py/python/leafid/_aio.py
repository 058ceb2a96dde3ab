"""Waiting in event loops of asyncio and trio: the part of an `await` where no ID is at hand."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

# The polling interval of a loop that cannot watch a bell (Windows' default), in s.
_LOOK = 0.005


async def wait(waiter: Any) -> Any:
    """Waits for the call's turn and its IDs, and returns its result."""
    host = _host()
    key = (host.run, waiter.source or waiter)
    line = _LINES.get(key)
    if line is None:
        for known in list(_LINES.values()):
            if known.host.is_over():
                # The loop was closed while callers waited: they never resume.
                known.end()
        line = _LINES[key] = _Line(host, key, waiter.bell())
    caller = _Caller(waiter, host.module.Event())
    line.callers.append(caller)
    try:
        if line.callers[0] is not caller and caller.count <= waiter.spare():
            line.pass_first()
        await line.serve(caller)
        return caller.result()
    finally:
        line.leave(caller)


def _host() -> _Asyncio | _Trio:
    asyncio, trio = sys.modules.get("asyncio"), sys.modules.get("trio")
    # While another thread imports the module, the function may be missing.
    in_task = getattr(getattr(trio, "lowlevel", None), "in_trio_task", None)
    in_trio = in_task is not None and in_task()
    if asyncio is not None and (loop := asyncio._get_running_loop()) is not None:
        # Trio may run as a guest of asyncio's loop: its tasks are then no tasks of asyncio.
        if not in_trio or asyncio.current_task(loop) is not None:
            return _Asyncio(asyncio, loop)
    if in_trio:
        return _Trio(trio)
    raise RuntimeError("no event loop of asyncio or trio runs in this thread")


class _Asyncio:
    """Waits in an event loop of asyncio."""

    def __init__(self, module: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.module, self.run = module, loop

    def is_over(self) -> bool:
        return self.run.is_closed()

    async def rest(self, waiting: Coroutine[Any, Any, object], most: float | None) -> None:
        """Waits at most `most` seconds."""
        try:
            async with self.module.timeout(most):
                await waiting
        except TimeoutError:
            pass

    async def rung(self, descriptor: int) -> None:
        rung = self.module.Event()
        try:
            self.run.add_reader(descriptor, rung.set)
        except NotImplementedError:
            # Windows' proactor loop cannot watch sockets.
            await self.module.sleep(_LOOK)
            return
        try:
            await rung.wait()
        finally:
            if not self.run.is_closed():
                self.run.remove_reader(descriptor)


class _Trio:
    """Waits in a run of trio."""

    def __init__(self, module: Any) -> None:
        self.module, self.run = module, module.lowlevel.current_trio_token()

    def is_over(self) -> bool:
        return False

    async def rest(self, waiting: Coroutine[Any, Any, object], most: float | None) -> None:
        with self.module.move_on_after(float("inf") if most is None else most):
            await waiting

    async def rung(self, descriptor: int) -> None:
        await self.module.lowlevel.wait_readable(descriptor)


class _Caller:
    """A waiting call."""

    __slots__ = ("count", "error", "event", "is_done", "value", "waiter")

    def __init__(self, waiter: Any, event: Any) -> None:
        # The event is set when the caller is served, or becomes the first in line.
        self.waiter, self.event, self.count = waiter, event, waiter.count
        self.is_done, self.value = False, None
        self.error: Exception | None = None

    def step(self) -> float | None:
        """Tries once; returns the seconds to rest if the caller has to keep waiting."""
        try:
            there, what = self.waiter.step()
        except Exception as error:
            there, what, self.error = True, None, error
        if not there:
            return float(what)
        self.is_done, self.value = True, what
        self.event.set()
        return None

    def result(self) -> Any:
        error, self.error = self.error, None
        try:
            if error is not None:
                raise error
            return self.value
        finally:
            del error  # The traceback refers to this frame: a reference cycle.


class _Line:
    """The callers of one generator that wait in one loop, served in order: the first one watches the bell.

    It exists, with its bell, only while callers wait. The bell makes new callers queue, also between an
    answer and the moment when the first caller's task resumes.
    """

    def __init__(self, host: _Asyncio | _Trio, key: tuple[Any, Any], bell: Any) -> None:
        self.host, self.key = host, key
        self.bell: Any = bell
        self.callers: list[_Caller] = []

    async def serve(self, caller: _Caller) -> None:
        """Returns once the caller has its IDs, or its error."""
        while not caller.is_done and self.bell is not None:
            if self.callers[0] is caller:
                self.bell.hush()
                rest = caller.step()
                if rest is not None and not self.pass_first():
                    await self.host.rest(self.ring(), rest)
                continue
            await self.host.rest(caller.event.wait(), caller.waiter.left)
            if not caller.is_done and self.callers[0] is not caller:
                # Its time is up: it gets IDs that are at hand now, or its error.
                caller.step()

    async def ring(self) -> None:
        watched = None if self.bell is None else self.bell.descriptor()
        await (self.host.module.sleep(_LOOK) if watched is None else self.host.rung(watched))

    def pass_first(self) -> bool:
        """Serves others while the first caller has to wait: while the store is away, the IDs at hand go to
        callers for whom they suffice, in order. If it returns true, the first one must try again: the
        generator remembers only the last count that was wanted."""
        passed, spare = False, self.callers[0].waiter.spare()
        for caller in self.callers[1:] if spare else ():
            if caller.count <= spare and not caller.is_done and caller.step() is None:
                passed, spare = True, caller.waiter.spare()
        return passed

    def leave(self, caller: _Caller) -> None:
        """Removes a caller: served, timed out or cancelled."""
        was_first = self.callers[0] is caller
        self.callers.remove(caller)
        if not self.callers or self.host.is_over():
            self.end()
        elif was_first:
            self.callers[0].event.set()

    def end(self) -> None:
        # Dropped explicitly: a traceback may keep this object alive, and the bell has file descriptors.
        self.bell = None
        if _LINES.get(self.key) is self:
            # Threads of other loops may end the line of a closed one together.
            _LINES.pop(self.key, None)


_LINES: dict[tuple[Any, Any], _Line] = {}
