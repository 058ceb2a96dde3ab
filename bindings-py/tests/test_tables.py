"""Stores over SQL: behaviour that files and databases share. A program's values for a tag or a namespace,
`default` included, hold or are refused by name."""

import concurrent.futures
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import leafid
from leafid import Layout, MemoryStore, Segment, Snowflake, SqlStore, SqliteStore
from support.child import in_child
from support.run import code, report
from support.waiting import first_when_made

TAG = {"tag": "orders", "request": "01" * 16}
ACQUIRE = {"namespace": "default", "request": "02" * 16, "owner": "me", "length_ms": 10_000}
Ids = list[int]


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "ids.db"


def test_what_is_not_there_is_not_made(place) -> None:
    with Segment("orders", place.url) as orders:
        for ask in (lambda: place.open().id, lambda: place.open().lease_segment(TAG), orders.next):
            with pytest.raises(leafid.StoreUnknownError, match="python -m leafid init --store ") as said:
                ask()
        assert f"init --store {place.url}" in str(said.value)
        store = place.open(create=True)
        assert place.open(create=True).id == store.id, "it is there"
        for ask in (lambda: store.lease_segment(TAG), Segment("orders", place.url).next):
            with pytest.raises(leafid.TagUnknownError, match="python -m leafid tag create orders --store"):
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


def test_a_holders_proof_stops_its_tag_for_every_process(place) -> None:
    store = place.open(create=True)
    store.create_tag("orders", step=10, max_step=10)
    orders = Segment("orders", place.open())
    assert orders.next() == 1
    with pytest.raises(leafid.StoreWentBackError):
        store.lease_segment({**TAG, "have_until": 101})
    for other in (store, place.open(), SqlStore(place.url)):
        with pytest.raises(leafid.StoreRefusedError) as said:
            other.lease_segment(TAG)
        assert str(said.value).startswith("tag `orders` stands at 11, and a holder has shown")
        assert str(said.value).endswith("leafid tag advance orders --to N; or move all tags: leafid repair")
    assert in_child(lambda: place.open().lease_segment(TAG)) == "STORE_REFUSED"
    assert store.tag("orders")["claimed_until"] == 101
    # The generator uses up its range, then waits.
    assert orders.take(9) == list(range(2, 11))
    with pytest.raises(leafid.TimedOutError):
        orders.next(timeout=0.5)
    store.set_tag("orders", max_step=20)
    assert store.tag("orders")["claimed_until"] == 101, "moved by nobody"
    store.advance_tag("orders", 101)
    assert store.tag("orders")["claimed_until"] is None
    assert orders.next(timeout=60) == 101
    orders.close()


def twice(ids: Ids) -> int:
    return len(ids) - len(set(ids))


def drawn(folder: Path, ranges: list[tuple[int, int]], is_enough: Callable[[Ids], bool]) -> int:
    """Two machines draw in turns, each from its own file: 10,000 IDs, and more until it is enough. Returns
    how many IDs were duplicates."""
    urls = [f"sqlite:{folder / str(at)}.db" for at in range(2)]
    holders = [
        Snowflake(store=url, create=True, workers=workers)
        for url, workers in zip(urls, ranges, strict=True)
    ]
    ids: Ids = []
    while len(ids) < 10_000 or not is_enough(ids):
        for holder in holders:
            ids += holder.take(100)
    print(f"declared: {len(ids)} IDs, {twice(ids)} duplicates")
    return twice(ids)


def test_numbers_split_over_two_files(tmp_path) -> None:
    assert drawn(tmp_path, [(0, 8), (8, 16)], lambda _: True) == 0


def test_the_control_two_files_that_are_declared_alike(tmp_path) -> None:
    assert drawn(tmp_path, [(0, 8), (0, 8)], lambda ids: twice(ids) > 0) > 0


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


def test_what_cannot_be_is_refused_before_what_is_there_is_looked_at(path) -> None:
    store = SqliteStore(path, create=True)
    store.create_tag("orders")
    with pytest.raises(leafid.LeafidError):
        store.create_tag("orders", step="a", if_missing=True)
    with pytest.raises(leafid.WorkerInvalidError):
        Snowflake("pages", store, create=True, workers=(0, 2_000))


def test_a_namespace_in_memory_that_is_there_otherwise() -> None:
    store = MemoryStore()
    store.create_namespace("pages", max_window=60)
    store.create_namespace("pages", max_window=60)
    with pytest.raises(leafid.LayoutMismatchError):
        store.create_namespace("pages", max_window=1)


RACE = """
    import json, sys
    import leafid
    ids = leafid.Snowflake(store=f"sqlite:{sys.argv[1]}", create=True, workers=tuple(json.loads(sys.argv[2])))
    try:
        print(json.dumps(ids.take(200)))
    except leafid.LayoutMismatchError:
        print("[]")
"""


def race(path: Path, ranges: list[tuple[int, int]]) -> list[Ids]:
    """The IDs of processes that all create the same new file."""
    with concurrent.futures.ThreadPoolExecutor(len(ranges)) as pool:
        said = pool.map(lambda workers: code(RACE, path, json.dumps(workers)), ranges)
        return [json.loads(each) for each in said]


def test_processes_that_declare_the_same_of_a_new_file(path) -> None:
    ids = sum(race(path, [(3, 9)] * 4), [])
    assert (len(ids), twice(ids)) == (800, 0)
    assert {leafid.decode(id).worker for id in ids} <= set(range(3, 9))


def test_processes_that_declare_another_thing_each(path) -> None:
    drawn = race(path, [(0, 8), (8, 16), (16, 24)])
    assert sorted(map(len, drawn)) == [0, 0, 200]
