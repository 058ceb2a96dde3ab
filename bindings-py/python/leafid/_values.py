"""What is read and never written: the parts of an ID, the counters of a generator.

Their types stand in the stub beside this: `typing` and `datetime` take longer to import than all of
leafid.
"""

from collections import namedtuple


def _documented(cls, docs):
    for field, doc in docs.items():
        getattr(cls, field).__doc__ = doc
    return cls


_PARTS = {
    "time_ms": "When it was stamped: the beginning of its tick, in ms since 1970.",
    "tick": "Ticks since the layout's epoch.",
    "worker": "The worker number.",
    "sequence": "The number within the tick.",
}
_STATS = {
    "ids": "IDs handed out.",
    "asks": "Asks that went to the store, those sent again included.",
    "grants": "Grants that were applied.",
    "failures": "Asks that failed: refused, answered wrongly, or not answered.",
    "waits": "How often there was no ID to hand out, each time counted once.",
    "dropped": "Positions that were granted and will never be handed out.",
    "gaps": "Ranges that did not begin where the one before ended.",
    "in_hand": "Positions at hand, the next range included.",
    "step": "Segments: the size of the last range. Snowflakes: the length of the window, in ms.",
    "offset_ms": "What to add to the host's monotonic clock for the store's time, in ms.",
    "last_code": "Why the last ask failed, until one succeeds.",
    "state_code": "Why the state file was abandoned: `STATE_INVALID`; `None` while it is kept, or there is none.",
}


class Parts(_documented(namedtuple("Parts", _PARTS), _PARTS)):
    """What a snowflake ID is made of."""

    __slots__ = ()

    @property
    def time(self):
        """When it was stamped, in UTC. `OverflowError` beyond the year 9999."""
        from datetime import datetime, timedelta, timezone

        return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=self.time_ms)


class Stats(_documented(namedtuple("Stats", _STATS, defaults=[None, None]), _STATS)):
    """What a generator did so far, in this process."""

    __slots__ = ()
