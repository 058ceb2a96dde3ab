"""Warnings: of calls never awaited, as Python gives for coroutines; and, once, as in Node, of generators in one
process that draw from the same tag or namespace, such as one per request."""

import asyncio
import gc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leafid import HttpStore, MemoryStore, Segment, Snowflake, SqliteStore

MESSAGE = "2 generators in this process draw from the tag `orders` of one store, and each leases a range"


def warned(act: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        act()
    return [str(one.message) for one in seen if "generators in this process" in str(one.message)]


@pytest.fixture
def orders(memory) -> Segment:
    return Segment("orders", memory)


@pytest.fixture
def url(tmp_path: Path) -> str:
    store = SqliteStore(tmp_path / "ids.db", create=True)
    for tag in ("orders", "bills"):
        store.create_tag(tag)
    return f"sqlite:{tmp_path / 'ids.db'}"


def test_the_second_of_a_tag_is_told_once(url: str) -> None:
    made = [Segment("orders", url) for _ in range(4)]
    told = [warned(ids.next) for ids in made]
    assert [len(one) for one in told] == [0, 1, 0, 0], told
    assert told[1][0].startswith(MESSAGE) and "make one where the program starts" in told[1][0]
    assert warned(made[1].next) == []
    for ids in made:
        ids.close()


def test_others_are_not(url: str) -> None:
    def one_after_another() -> None:
        for _ in range(3):
            with Segment("orders", url) as orders:
                orders.next()

    def of_other_tags() -> None:
        with Segment("orders", url) as orders, Segment("bills", url) as bills:
            orders.next(), bills.next()

    def unused() -> None:
        made = [Segment("orders", url) for _ in range(3)]
        made[0].next()
        made[0].close()

    def in_memory() -> None:
        store = MemoryStore()
        for ids in [Segment("orders", store) for _ in range(3)]:
            ids.next()

    for act in (one_after_another, of_other_tags, unused, in_memory):
        assert warned(act) == [], act


def test_worker_numbers(url: str) -> None:
    def as_owners(*owners: str | None) -> list[str]:
        made = [Snowflake("default", url, owner=owner) for owner in owners]
        told = warned(lambda: [ids.next() for ids in made])
        for ids in made:
            ids.close()
        return told

    assert as_owners("a", "b") == []
    [told] = as_owners(None, None)
    assert "the namespace `default`" in told and "a worker number of its own until its window ends" in told
    assert len(as_owners("c", "c")) == 1


def test_two_objects_of_one_server_are_one_store(server: Any) -> None:
    made = [Snowflake("default", HttpStore(server.url)) for _ in range(2)]
    assert len(warned(lambda: [ids.next() for ids in made])) == 1
    for ids in made:
        ids.close()


@pytest.mark.parametrize(("verb", "args"), [
    ("anext", ()), ("atake", (3,)), ("aready", (1,)), ("arelease", ()), ("aclose", ()),
])  # fmt: skip
def test_a_forgotten_await_is_warned_of(orders, verb, args) -> None:
    with pytest.warns(RuntimeWarning, match=rf"`{verb}\(\)` was never awaited"):
        getattr(orders, verb)(*args)
        gc.collect()
    assert orders.next() == 1, "nothing was drawn"


def test_what_was_awaited_or_closed_is_not_warned_of(orders) -> None:
    async def draw() -> list[int]:
        async with orders:
            drawn = [await orders.anext(), *await orders.atake(2)]
            orders.anext().close()
            waiting = asyncio.ensure_future(orders.aready(1))
            await waiting
            return drawn

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert asyncio.run(draw()) == [1, 2, 3]
        gc.collect()


def test_a_warning_that_is_an_error_disturbs_nobody(orders, monkeypatch) -> None:
    told: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", lambda found: told.append(found.exc_value))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ZeroDivisionError):
            # The awaitable is dropped while an exception propagates.
            (orders.anext(), 1 // 0)
        gc.collect()
    assert [type(error) for error in told] == [RuntimeWarning]
