"""Read-only values: the parts of an ID, the counters of a generator.

Types and meanings are in the stub beside this file: `typing` and `datetime` take longer to import
than all of leafid.
"""

from collections import namedtuple


class Parts(namedtuple("Parts", "time_ms tick worker sequence")):
    """The parts of a snowflake ID."""

    __slots__ = ()

    @property
    def time(self):
        """When the ID was stamped, in UTC. Raises `OverflowError` beyond the year 9999."""
        from datetime import datetime, timedelta, timezone

        return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=self.time_ms)


_STATS = "ids asks grants failures waits dropped gaps in_hand step offset_ms last_code state_code"


class Stats(namedtuple("Stats", _STATS, defaults=[None, None])):
    """A generator's counters, in this process."""

    __slots__ = ()
