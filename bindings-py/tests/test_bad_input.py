"""What no caller can mean has a code, whatever takes it."""

from __future__ import annotations

import tracemalloc
import uuid
from datetime import datetime

import pytest

import leafid
from leafid import HttpStore, Layout, Segment, Snowflake, SqliteStore, registry

HUGE, HALF = 2**200, "\ud800"
LEAF = {"epoch_ms": 0, "tick_ms": 1, "time_bits": 41, "worker_bits": 10, "sequence_bits": 12}
ACQUIRE = {"namespace": "default", "request": "02" * 16, "owner": "me", "length_ms": 10_000}


@pytest.fixture
def store(tmp_path) -> SqliteStore:
    return SqliteStore(tmp_path / "ids.db", create=True)


@pytest.mark.parametrize("field", LEAF)
@pytest.mark.parametrize("value", [HUGE, -HUGE])
def test_fields_of_a_layout(field, value) -> None:
    with pytest.raises(leafid.LayoutInvalidError):
        Layout(**{**LEAF, field: value})


@pytest.mark.parametrize("time", [HUGE, -HUGE, 2**63 - 1, -(2**63)])
def test_moments_that_no_layout_has(time) -> None:
    for ask in (Layout.leaf.first_id, Layout.leaf.last_id, lambda time: Layout.leaf.compose(time, 0, 0)):
        with pytest.raises(leafid.LeafidError):
            ask(time)


@pytest.mark.parametrize("time", ["x", 1.5, None, b"x"])
def test_what_is_no_moment(time) -> None:
    with pytest.raises(TypeError, match="whole ms since 1970 or a `datetime`"):
        Layout.leaf.first_id(time)
    now = datetime.fromtimestamp(1_800_000_000)
    assert Layout.leaf.first_id(now) == Layout.leaf.first_id(1_800_000_000_000)


@pytest.mark.parametrize("verb", ["lease_segment", "renew", "release"])
def test_times_that_no_store_has(verb) -> None:
    row = () if verb == "release" else ({},) if verb == "lease_segment" else ({}, {})
    with pytest.raises(leafid.RequestInvalidError, match="now_ms"):
        getattr(registry, verb)("5a" * 16, *row, *({}, {})[: 2 if verb == "release" else 1], HUGE)


@pytest.mark.parametrize("make", [
    lambda: Segment(HALF, "memory:"), lambda: Segment("a", HALF), lambda: Snowflake(HALF, "memory:"),
    lambda: Snowflake(store="memory:", owner=HALF), lambda: leafid.decode(1, HALF), lambda: HttpStore(HALF),
    lambda: HttpStore("http://127.0.0.1:1", token=HALF), lambda: SqliteStore(HALF),
    lambda: SqliteStore("a\0b"), lambda: SqliteStore(""), lambda: leafid.SqlStore(HALF),
])  # fmt: skip
def test_texts_that_cannot_be_written(make) -> None:
    with pytest.raises(leafid.LeafidError):
        make()


@pytest.mark.parametrize("id", ["zz", "ab", "", 5, uuid.uuid4(), "5a" * 17])
def test_what_is_no_id_of_a_store(tmp_path, id) -> None:
    with pytest.raises(leafid.RequestInvalidError, match="32 hex digits"):
        SqliteStore(tmp_path / "ids.db", create=True, id=id)
    assert not (tmp_path / "ids.db").exists()


@pytest.mark.parametrize("workers", [(1, 2, 3), "", {}, 5, (0, HUGE), ("a", "b")])
def test_what_is_no_range_of_workers(tmp_path, store, workers) -> None:
    for ask in (
        lambda: SqliteStore(tmp_path / "other.db", create=True, workers=workers),
        lambda: store.create_namespace("pages", workers=workers),
        lambda: store.set_workers("default", workers),
    ):
        with pytest.raises(leafid.LeafidError):
            ask()


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 1e308, -1.0])
def test_what_is_no_length_of_a_window(store, seconds) -> None:
    with pytest.raises(leafid.LeafidError):
        store.create_namespace("pages", max_window=seconds)


@pytest.mark.parametrize("worker", [HUGE, -1, 2**63, "1", None, 1.0])
def test_what_is_no_worker(store, worker) -> None:
    with pytest.raises(leafid.WorkerInvalidError):
        store.release_worker("default", worker)


@pytest.mark.parametrize(("field", "value"), [
    ("request", 2**31), ("request", None), ("request", HALF), ("owner", HALF), ("owner", {}),
    ("owner", HUGE), ("namespace", HALF), ("length_ms", HUGE),
])  # fmt: skip
def test_what_is_no_ask(store, field, value) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(leafid.RequestInvalidError):
            store.acquire({**ACQUIRE, field: value})
        assert tracemalloc.get_traced_memory()[1] < 100 << 20, "a number is no length"
    finally:
        tracemalloc.stop()
    assert store.acquire(ACQUIRE)["worker"] == 0


@pytest.mark.parametrize("tag", [HALF, 5, None])
def test_what_is_no_tag(store, tag) -> None:
    for ask in (store.create_tag, store.delete_tag):
        with pytest.raises((leafid.LeafidError, TypeError)):
            ask(tag)
