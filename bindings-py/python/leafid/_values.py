"""What is read and never written: the parts of an ID, the counters of a generator.

Their types and what they mean stand in the stub beside this: `typing` and `datetime` take longer to import than all of
leafid.
"""

from collections import namedtuple


class Parts(namedtuple("Parts", "time_ms tick worker sequence")):
    """What a snowflake ID is made of."""

    __slots__ = ()

    @property
    def time(self):
        """When it was stamped, in UTC. `OverflowError` beyond the year 9999."""
        from datetime import datetime, timedelta, timezone

        return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=self.time_ms)


_STATS = "ids asks grants failures waits dropped gaps in_hand step offset_ms last_code state_code"


class Stats(namedtuple("Stats", _STATS, defaults=[None, None])):
    """What a generator did so far, in this process."""

    __slots__ = ()
