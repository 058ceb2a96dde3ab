"""The clocks that a store's time is read from."""

import time
from typing import Protocol


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
