"""Waiting until so many IDs are at hand: for hooks that must not wait."""

import pytest

from leafid import MemoryStore, Segment, SegmentDryError, Snowflake, TimedOutError


def small() -> MemoryStore:
    store = MemoryStore()
    store.create_tag("orders", step=10, max_step=1_000)
    return store


@pytest.mark.parametrize("n", [1, 9, 50, 1_000])
def test_after_ready_so_many_calls_need_not_wait(n: int) -> None:
    orders = Segment("orders", small())
    orders.ready(n)
    assert [orders.next(timeout=0) for _ in range(n)] == list(range(1, n + 1))


def test_the_control_without_it_they_find_nothing_at_hand() -> None:
    orders = Segment("orders", small())
    with pytest.raises((TimedOutError, SegmentDryError)):
        orders.take(1_000, timeout=0)


def test_nothing_is_drawn() -> None:
    orders = Segment("orders", small())
    orders.ready(40)
    assert orders.stats().ids == 0
    assert orders.stats().in_hand >= 40
    assert orders.next() == 1
    orders.ready(0)


def test_snowflakes() -> None:
    events = Snowflake(store=MemoryStore())
    last = 0
    for _ in range(20):
        events.ready(200)
        for _ in range(200):
            drawn = events.next(timeout=0)
            assert drawn > last
            last = drawn
