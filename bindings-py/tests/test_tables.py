"""A store over tables: what is the same in a file and in a database."""

from __future__ import annotations

import os
import sqlite3
import time

import pytest

import leafid
from leafid import Segment, Snowflake, SqlStore
from support.child import in_child
from support.run import report
from support.waiting import first_when_made

TAG = {"tag": "orders", "request": "01" * 16}


def test_three_lines(place) -> None:
    with Segment("orders", store=place.url, create=True) as orders:
        assert [orders.next(), *orders.take(3)] == [1, 2, 3, 4]
    with Snowflake(store=place.url) as ids:
        assert abs(leafid.decode(ids.next()).time.timestamp() - time.time()) < 60
    with Segment("orders", place.url, create=True) as again:
        assert again.next() > 4, "what is there is left as it is"


def test_what_is_not_there_is_not_made(place) -> None:
    with Segment("orders", place.url) as orders:
        for ask in (lambda: place.open().id, lambda: place.open().lease_segment(TAG), orders.next):
            with pytest.raises(leafid.StoreUnknownError, match="python -m leafid init --store ") as said:
                ask()
        assert f"init --store {place.url}" in str(said.value)
    store = place.open(create=True)
    assert place.open(create=True).id == store.id, "it is there"
    with Segment("orders", place.url) as orders:
        for ask in (lambda: store.lease_segment(TAG), orders.next):
            with pytest.raises(leafid.TagUnknownError, match="python -m leafid tag create orders --store"):
                ask()
        store.create_tag("orders", start=100)
        assert first_when_made(orders) == 100, "the generator is usable afterwards"
    with pytest.raises(leafid.TagExistsError):
        place.open().create_tag("orders")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
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
        assert str(said.value).endswith("leafid tag advance orders --to N")
    assert in_child(lambda: place.open().lease_segment(TAG)) == "STORE_REFUSED"
    assert store.tag("orders")["claimed_until"] == 101
    # It uses up the range it has, then waits.
    assert orders.take(9) == list(range(2, 11))
    with pytest.raises(leafid.TimedOutError):
        orders.next(timeout=0.5)
    store.set_tag("orders", max_step=20)
    assert store.tag("orders")["claimed_until"] == 101, "moved by nobody"
    store.advance_tag("orders", 101)
    assert store.tag("orders")["claimed_until"] is None
    assert orders.next(timeout=60) == 101
    orders.close()
