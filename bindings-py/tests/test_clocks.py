"""Clocks that freeze, step back and leap: no error, no duplicate, and IDs stay timely. More of them stand in the
vectors (`clocks.json`)."""

from __future__ import annotations

import time

import pytest

import leafid
from leafid import MemoryStore, Snowflake
from leafid.testing import Clock
from support.waiting import PATIENCE, until

HOUR = 3_600_000


def late_by(id: int) -> float:
    return abs(leafid.decode(id).time.timestamp() - time.time())


def test_the_hosts_wall_clock_is_set_back_and_forth(server) -> None:
    clock = Clock()
    ids = Snowflake(store=server.url, clock=clock)
    drawn = []
    for step in (HOUR, -2 * HOUR, HOUR, -HOUR, 2 * HOUR, -HOUR) * 5:
        clock.step_wall(step)
        drawn += [ids.next() for _ in range(200)]
        assert late_by(drawn[-1]) < 60, "not by an hour"
    assert len(drawn) == 6_000 and drawn == sorted(set(drawn))
    assert ids.stats().failures == 0


@pytest.mark.parametrize("leap", [10_000, -10_000])
def test_a_leap_is_noticed_and_the_window_is_renewed_at_once(server, leap: int) -> None:
    clock = Clock()
    ids = Snowflake(store=server.url, clock=clock)
    ids.next()
    # Asleep for ten seconds, or set back: the monotonic clock stood still, the wall clock did not.
    # It stays frozen, so that no renewal becomes due by itself.
    clock.freeze()
    asks = ids.stats().asks
    clock.step_wall(leap)
    assert until(lambda: ids.stats().asks > asks)
    assert ids.stats().asks == asks + 1


def test_a_frozen_clock_runs_ahead_as_far_as_it_may_and_then_waits() -> None:
    clock = Clock()
    clock.freeze()
    store = MemoryStore(clock=clock)
    ids = Snowflake(store=store, clock=clock, max_ahead=0.005, spread=0)
    first = ids.next()
    drawn = ids.take(4_096 * 5)
    with pytest.raises(leafid.TimedOutError) as late:
        while True:
            drawn.append(ids.next(timeout=0.05))
    assert isinstance(late.value.__cause__, leafid.SequenceSpentError)
    assert late.value.__cause__.retry_after is not None
    clock.advance(1)
    drawn.append(ids.next(timeout=PATIENCE))
    assert [first, *drawn] == sorted({first, *drawn})


def test_the_clocks_of_tests() -> None:
    clock = Clock()
    assert abs(clock.wall_ms - time.time() * 1_000) < 60_000
    clock.freeze()
    before = clock.monotonic_ms, clock.wall_ms
    clock.advance(7)
    clock.step_wall(-3)
    assert (clock.monotonic_ms, clock.wall_ms) == (before[0] + 7, before[1] + 4)
