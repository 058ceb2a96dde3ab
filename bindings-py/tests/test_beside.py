"""Generators that draw from the same beside each other in one process, such as one for each request, are
warned of once; as in Node."""

from __future__ import annotations

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
