"""Stores over SQL: behaviour that files and databases share. A program's values for a tag or a namespace,
`default` included, hold or are refused by name."""

import concurrent.futures
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import leafid
from leafid import Layout, MemoryStore, Segment, Snowflake, SqlStore, SqliteStore
from support.run import code, report
from support.waiting import first_when_made

TAG = {"tag": "orders", "request": "01" * 16}
ACQUIRE = {"namespace": "default", "request": "02" * 16, "owner": "me", "length_ms": 10_000}


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "ids.db"


def test_what_is_not_there_is_not_made(place) -> None:
    with Segment("orders", place.url) as orders:
        for ask in (lambda: place.open().id, lambda: place.open().lease_segment(TAG), orders.next):
            with pytest.raises(leafid.StoreUnknownError, match="there: leafid init --store ") as said:
                ask()
        assert f"init --store {place.url}" in str(said.value)
        store = place.open(create=True)
        assert place.open(create=True).id == store.id, "it is there"
        for ask in (lambda: store.lease_segment(TAG), Segment("orders", place.url).next):
            with pytest.raises(leafid.TagUnknownError, match="`leafid tag create orders --store"):
                ask()
        store.create_tag("orders", start=100)
        assert first_when_made(orders) == 100, "the generator is usable afterwards"
    with pytest.raises(leafid.TagExistsError):
        place.open().create_tag("orders")


@pytest.mark.parametrize("kind", ["segment", "snowflake"])
def test_a_fork_opens_its_own(place, tmp_path, kind) -> None:
    place.open(create=True).create_tag("forked", step=5, max_step=5)
    told = report("forked.py", kind, place.url, 4, 50, tmp_path)
    assert (told["failed"], told["duplicates"]) == (0, 0) and told["ids"] >= 4 * 50
    if (path := place.url.partition("sqlite:")[2]):
        assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_file_that_hands_out_other_numbers_is_not_opened(path) -> None:
    SqliteStore(path, create=True).close()
    for open in (SqliteStore, lambda path, **how: SqlStore(f"sqlite:{path}", **how).acquire(ACQUIRE)):
        with pytest.raises(leafid.LayoutMismatchError, match="`workers` is `0..1024`, not `8..16`; .* set default --store sqlite:"):
            open(path, create=True, workers=(8, 16))
    SqliteStore(path, create=True, workers=(0, 1024))


@pytest.mark.parametrize("workers", [(100, 104), (60_000, 65_536), None])
def test_default_is_made_as_it_is_declared(place, workers) -> None:
    orders = Segment("orders", place.url, create=True)
    with Snowflake(store=place.url, create=True, layout=Layout.edge, workers=workers) as ids:
        assert leafid.decode(ids.next(), Layout.edge).worker == (workers or (0,))[0]
    assert orders.next() == 1
    with pytest.raises(leafid.LayoutMismatchError, match="namespace `default` .*, not `0..8`"):
        Snowflake(store=place.url, create=True, workers=(0, 8)).next()
    orders.close()


def test_numbers_of_a_namespace(place) -> None:
    with Snowflake("pages", place.url, create=True, workers=(8, 12)) as pages:
        assert leafid.decode(pages.next()).worker == 8
    # This call has created the store, so `default` has the range as well.
    with Snowflake(store=place.url) as ids:
        assert leafid.decode(ids.next()).worker == 8
    Snowflake("pages", place.url, create=True, workers=(8, 12)).close()
    with pytest.raises(leafid.LayoutMismatchError, match="is `8..12`, not `0..4`; .* leafid namespace set pages"):
        Snowflake("pages", place.url, create=True, workers=(0, 4)).next()
    with Snowflake("other", place.url, create=True, workers=(0, 4)) as others:
        assert leafid.decode(others.next()).worker == 0


def test_two_generators_of_a_process_that_say_different_things(path) -> None:
    store = SqlStore(f"sqlite:{path}", create=True)
    first = Snowflake("pages", store, create=True, workers=(0, 8))
    Snowflake("pages", store, create=True, workers=(8, 16))
    with pytest.raises(leafid.LayoutMismatchError, match="`workers` is `0..8`, not `8..16`"):
        first.next()


@pytest.mark.parametrize("how, wanted", [
    ({"step": 500, "max_step": 500}, "`step` is `10`, not `500`, `max_step` is `100`, not `500`; declare what is there, or change it: leafid tag set orders --store "),
    ({"until": 999}, "`until` is `1000`, not `999`"),
    ({"start": 51}, "it stands at `50`, below `from` `51`, which counts only when a tag is made"),
])  # fmt: skip
def test_a_tag_that_is_there_otherwise(place, how, wanted) -> None:
    store = place.open(create=True)
    store.create_tag("orders", start=50, step=10, max_step=100, until=1_000)
    with pytest.raises(leafid.TagExistsError, match=f"^tag `orders` exists already, and not as declared: {wanted}"):
        store.create_tag("orders", if_missing=True, **how)
    for same in ({}, {"start": 50, "step": 10}, {"until": 1_000, "max_step": 100}):
        store.create_tag("orders", if_missing=True, **same)
    assert Segment("orders", store, create=True).next() == 50


@pytest.mark.parametrize("how, wanted", [
    ({"layout": "leaf"}, "`layout` is `41/16/6 of .*, not `41/10/12 of "),
    ({"workers": (0, 8)}, "`workers` is `3..9`, not `0..8`"),
    ({"max_window": 1}, "`max_window_ms` is `60000`, not `1000`"),
])  # fmt: skip
def test_a_namespace_that_is_there_otherwise(place, how, wanted) -> None:
    store = place.open(create=True)
    made: dict[str, Any] = {"layout": "edge", "workers": (3, 9), "max_window": 60}
    store.create_namespace("pages", **made)
    with pytest.raises(leafid.LayoutMismatchError, match=f"^namespace `pages` exists already, and not as declared: {wanted}"):
        store.create_namespace("pages", if_missing=True, **{**made, **how})
    with pytest.raises(leafid.LayoutMismatchError, match="^namespace `pages` exists already, with layout 41/16/6 .*workers 3..9"):
        store.create_namespace("pages", **{**made, **how})
    store.create_namespace("pages", **made)
    store.create_namespace("pages", if_missing=True)
    with pytest.raises(leafid.LayoutMismatchError):
        store.create_namespace("pages")


RACE = """
    import sys, leafid
    start = int(sys.argv[2])
    ids = leafid.Snowflake(store=f"sqlite:{sys.argv[1]}", create=True, workers=(start, start + 8))
    try:
        print(len(ids.take(200)))
    except leafid.LayoutMismatchError:
        print(0)
"""


def test_processes_that_declare_another_thing_each_of_a_new_file(path) -> None:
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        drawn = pool.map(lambda start: int(code(RACE, path, start)), (0, 8, 16))
    assert sorted(drawn) == [0, 0, 200]


def test_a_namespace_in_memory_that_is_there_otherwise() -> None:
    store = MemoryStore()
    store.create_namespace("pages", max_window=60)
    store.create_namespace("pages", max_window=60)
    with pytest.raises(leafid.LayoutMismatchError):
        store.create_namespace("pages", max_window=1)
