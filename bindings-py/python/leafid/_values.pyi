"""What is read and never written: the parts of an ID, the counters of a generator."""

from datetime import datetime
from typing import NamedTuple

class Parts(NamedTuple):
    """What a snowflake ID is made of."""

    time_ms: int
    """When it was stamped: the beginning of its tick, in ms since 1970."""
    tick: int
    """Ticks since the layout's epoch."""
    worker: int
    """The worker number."""
    sequence: int
    """The number within the tick."""

    @property
    def time(self) -> datetime:
        """When it was stamped, in UTC. `OverflowError` beyond the year 9999."""


class Stats(NamedTuple):
    """What a generator did so far, in this process."""

    ids: int
    """IDs handed out."""
    asks: int
    """Asks that went to the store, those sent again included."""
    grants: int
    """Grants that were applied."""
    failures: int
    """Asks that failed: refused, answered wrongly, or not answered."""
    waits: int
    """How often there was no ID to hand out, each time counted once."""
    dropped: int
    """Positions that were granted and will never be handed out."""
    gaps: int
    """Ranges that did not begin where the one before ended."""
    in_hand: int
    """Positions at hand, the next range included."""
    step: int
    """Segments: the size of the last range. Snowflakes: the length of the window, in ms."""
    offset_ms: int
    """What to add to the host's monotonic clock for the store's time, in ms."""
    last_code: str | None = None
    """Why the last ask failed, until one succeeds."""
    state_code: str | None = None
    """Why the state file was abandoned: `STATE_INVALID`; `None` while it is kept, or there is none."""
