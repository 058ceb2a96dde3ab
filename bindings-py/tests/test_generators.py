"""The verbs of both generators, on a memory store."""

from __future__ import annotations

import itertools
import threading
import time
import weakref

import pytest

import leafid
from leafid import Layout, MemoryStore, Segment, Snowflake
from leafid.testing import Clock
from support.waiting import PATIENCE, failing, run_all



def test_numbers_begin_at_one(memory) -> None:
    orders = Segment("orders", memory)
    assert [orders.next() for _ in range(3)] == [1, 2, 3]
    assert next(orders) == 4
    assert list(itertools.islice(orders, 3)) == [5, 6, 7]
    assert orders.take(3) == [8, 9, 10]
    assert orders.tag == "orders"
    assert repr(orders) == 'Segment("orders")'


def test_snowflakes_carry_the_time_and_the_worker(memory) -> None:
    ids = Snowflake(store=memory)
    before = leafid.decode(ids.next())
    after = leafid.decode(ids.next())
    assert before.worker == after.worker == 0
    assert abs(before.time.timestamp() - time.time()) < 60
    assert after >= before
    assert ids.namespace == "default"


def test_nothing_is_leased_before_the_first_id(memory, make) -> None:
    ids = make(memory)
    assert ids.stats() == leafid.Stats(*[0] * 10)
    ids.next()
    assert ids.stats().grants >= 1


def test_closing(memory, make) -> None:
    with make(memory) as ids:
        ids.next()
        assert not ids.closed
    assert ids.closed
    for verb in (ids.next, lambda: ids.take(2), lambda: next(ids)):
        with pytest.raises(leafid.ClosedError) as refused:
            verb()
        assert refused.value.code == "CLOSED"
    ids.close()
    make(memory).close()


def test_closing_gives_the_rest_of_a_window_back() -> None:
    clock = Clock()
    clock.freeze()
    store = MemoryStore(clock=clock)
    for _ in range(200):
        # What was begun of a window rests until its ms is over.
        clock.advance(2)
        with Snowflake(store=store, clock=clock) as ids:
            ids.next()
    held = [Snowflake(store=store, clock=clock) for _ in range(64)]
    for ids in held:
        clock.advance(2)
        ids.next()
    # The control: without closing, the 64 numbers are all held.
    assert failing(Snowflake(store=store, clock=clock)).__cause__.code == "WORKERS_EXHAUSTED"


def test_a_generator_that_is_dropped_gives_its_window_back(memory) -> None:
    released = threading.Event()

    class Watched:
        acquire, renew = memory.acquire, memory.renew

        def release(self, ask):
            released.set()
            return memory.release(ask)

    ids = Snowflake(store=Watched())
    ids.next()
    gone = weakref.ref(ids)
    del ids
    assert gone() is None
    assert released.wait(PATIENCE)


def test_forgetting_drops_what_is_in_hand(make) -> None:
    store = MemoryStore()
    ids = make(store)
    before = ids.take(10)
    ids.forget()
    assert ids.stats().in_hand == 0
    after = ids.take(10)
    assert before[-1] < after[0]
    assert ids.stats().grants >= 2


def test_many_threads_draw_from_one_generator(memory) -> None:
    ids = Segment("orders", memory, step=100)
    parts: list[list[int]] = []

    def draw() -> None:
        drawn = [ids.next() for _ in range(20_000)] + ids.take(100)
        parts.append(drawn)

    run_all(threading.Thread(target=draw) for _ in range(8))
    for part in parts:
        assert part == sorted(part)
    drawn = [id for part in parts for id in part]
    assert len(drawn) == 8 * 20_100 and len(set(drawn)) == len(drawn)
    stats = ids.stats()
    assert stats.ids == len(drawn) and stats.grants >= 5


def test_a_generator_has_a_limit_of_its_own(memory) -> None:
    ids = Segment("orders", memory, max_step=50)
    for most in range(1, 301):
        assert ids.next() == most
        assert ids.stats().in_hand <= 2 * 50
    assert ids.stats().step == 50
    with pytest.raises(leafid.CountInvalidError, match="gives at most 50 IDs at once"):
        ids.take(51)
    assert ids.take(50) == list(range(301, 351))


def test_several_generators_share_a_store(memory) -> None:
    drawn = [id for _ in range(10) for id in Segment("orders", memory).take(150)]
    assert len(set(drawn)) == 1_500
    assert Segment("other", memory).next() == 1


def test_a_layout_of_ones_own(memory) -> None:
    memory.create_namespace("edge", layout=Layout.edge)
    for layout in (None, Layout.edge, "edge"):
        ids = Snowflake("edge", memory, layout=layout)
        assert leafid.decode(ids.next(), Layout.edge).worker < 65_536
    with pytest.raises(leafid.LayoutMismatchError):
        Snowflake("edge", memory, layout=Layout.leaf).next()


def test_windows_are_asked_for_in_seconds(memory) -> None:
    ids = Snowflake(store=memory, length=10.0, max_ahead=0.5, spread=0)
    ids.next()
    assert 9_000 <= ids.stats().step <= 10_000
