"""Read-only values: the parts of an ID, the counters of a generator."""

from datetime import datetime
from typing import NamedTuple

class Parts(NamedTuple):
    """The parts of a snowflake ID."""

    time_ms: int
    """When the ID was stamped: the beginning of its tick, in ms since 1970."""
    tick: int
    """Ticks since the layout's epoch."""
    worker: int
    """The worker number."""
    sequence: int
    """The number within the tick."""

    @property
    def time(self) -> datetime:
        """When the ID was stamped, in UTC. Raises `OverflowError` beyond the year 9999."""


class Stats(NamedTuple):
    """A generator's counters, in this process."""

    ids: int
    """IDs handed out."""
    asks: int
    """Asks that were sent to the store, repeated ones included."""
    grants: int
    """Grants that were applied."""
    failures: int
    """Asks that failed: refused, answered wrongly, or not answered."""
    waits: int
    """How many times there was no ID to hand out, each time counted once."""
    dropped: int
    """Granted positions that will never be handed out."""
    gaps: int
    """Ranges that did not begin at the previous one's end."""
    in_hand: int
    """Positions at hand, the next range included."""
    step: int
    """Segments: the size of the last range. Snowflakes: the length of the window, in ms."""
    offset_ms: int
    """The offset from the host's monotonic clock to the store's time, in ms."""
    last_code: str | None = None
    """Why the last ask failed, until one succeeds."""
    state_code: str | None = None
    """Why the state file was abandoned: `STATE_INVALID`; `None` while one is kept, or without one."""
