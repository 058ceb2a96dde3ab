"""A store's time: its source's, as long as that can be believed, and never back."""

import time
from collections.abc import Callable
from typing import Protocol

from .. import errors
from . import words

# A source that steps forward by more than this between two readings is not believed.
_LARGEST_STEP_MS = 60_000
# A source further above the last time that a store knows is not believed when it is opened.
_MOST_AHEAD_MS = 30 * 86_400_000
# Nor one further below its last grant.
_MOST_BEHIND_MS = 86_400_000


class Clock(Protocol):
    """What `leafid.testing.Clock` has."""

    @property
    def wall_ms(self) -> int: ...
    @property
    def monotonic_ms(self) -> int: ...


class System:
    """The machine's clocks."""

    _TICKS = getattr(time, "CLOCK_BOOTTIME", None)

    @property
    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    @property
    def monotonic_ms(self) -> int:
        """It goes on while the machine sleeps, where there is one that does."""
        if self._TICKS is None:
            return time.monotonic_ns() // 1_000_000
        return time.clock_gettime_ns(self._TICKS) // 1_000_000


class Told:
    """The clock of a database: where its last answer put it, and on from there."""

    def __init__(self, ticks: Clock) -> None:
        self.ticks, self.ahead = ticks, 0

    def learn(self, now_ms: int) -> None:
        """Takes in what an answer told."""
        self.ahead = now_ms - self.ticks.monotonic_ms

    @property
    def wall_ms(self) -> int:
        return self.ticks.monotonic_ms + self.ahead

    @property
    def monotonic_ms(self) -> int:
        return self.ticks.monotonic_ms


class StoreTime:
    """Begins at the latest of the source and of what the store has granted."""

    def __init__(
        self,
        clock: Clock,
        granted_ms: int,
        seen_ms: int,
        called: str = "this machine's clock",
    ) -> None:
        self.clock = clock
        self.source, self.ticks = clock.wall_ms, clock.monotonic_ms
        self.now = max(self.source, granted_ms)
        self.distrusts_until: int | None = None
        if (strays := _strays(called, self.source, granted_ms, seen_ms)) is not None:
            raise strays

    def read(self, max_window_ms: Callable[[], int]) -> int:
        """The time in ms. A step forward by more than a minute is not believed for a window."""
        source, ticks = self.clock.wall_ms, self.clock.monotonic_ms
        elapsed = max(0, ticks - self.ticks)
        own = self.now + elapsed
        step = source - self.source - elapsed
        self.source, self.ticks = source, max(ticks, self.ticks)
        if step > _LARGEST_STEP_MS and source > own:
            self.distrusts_until = self.ticks + max_window_ms()
        until = self.distrusts_until
        if until is not None and (ticks >= until or source - own <= _LARGEST_STEP_MS):
            self.distrusts_until = None
        self.now = own if self.distrusts_until is not None else max(own, source)
        return self.now


def _strays(called: str, source: int, granted: int, seen: int) -> errors.LeafidError | None:
    known = max(granted, seen)
    if granted <= 0:
        return None
    if granted - source > _MOST_BEHIND_MS:
        return words.strays(called, source, granted)
    if source - known > _MOST_AHEAD_MS:
        return words.strays(called, source, known)
    return None
