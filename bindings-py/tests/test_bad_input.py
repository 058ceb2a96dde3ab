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
MOMENT = "whole ms since 1970 or a `datetime`"


@pytest.fixture
def store(tmp_path) -> SqliteStore:
    return SqliteStore(tmp_path / "ids.db", create=True)


# What is wrong, the error and some of its words, and calls that take it.
WRONG = [
    *(({**LEAF, field: value}, leafid.LayoutInvalidError, None, [lambda fields: Layout(**fields)])
      for field in LEAF for value in (HUGE, -HUGE)),
    *((time, error, words, [Layout.leaf.first_id, Layout.leaf.last_id, lambda time: Layout.leaf.compose(time, 0, 0)])
      for times, error, words in [
          ((HUGE, -HUGE, 2**63 - 1, -(2**63)), leafid.LeafidError, None),
          (("x", 1.5, None, b"x"), TypeError, MOMENT),
      ] for time in times),
    (HUGE, leafid.RequestInvalidError, "now_ms", [
        lambda now: registry.lease_segment("5a" * 16, {}, {}, now),
        lambda now: registry.renew("5a" * 16, {}, {}, {}, now),
        lambda now: registry.release("5a" * 16, {}, {}, now),
    ]),
    (HALF, leafid.LeafidError, None, [
        lambda text: Segment(text, "memory:"), lambda text: Segment("a", text), HttpStore, SqliteStore, leafid.SqlStore,
        lambda text: Snowflake(text, "memory:"), lambda text: Snowflake(store="memory:", owner=text),
        lambda text: leafid.decode(1, text), lambda text: HttpStore("http://127.0.0.1:1", token=text),
    ]),
    ("a\0b", leafid.LeafidError, None, [SqliteStore]),
    ("", leafid.LeafidError, None, [SqliteStore]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "error", "words", "calls"), WRONG, ids=[repr(wrong[0])[:40] for wrong in WRONG]
)
def test_what_nobody_can_mean(given, error, words, calls) -> None:
    for call in calls:
        with pytest.raises(error, match=words):
            call(given)


def test_a_datetime_is_a_moment() -> None:
    now = datetime.fromtimestamp(1_800_000_000)
    assert Layout.leaf.first_id(now) == Layout.leaf.first_id(1_800_000_000_000)


@pytest.mark.parametrize("id", ["zz", "ab", "", 5, uuid.uuid4(), "5a" * 17])
def test_what_is_no_id_of_a_store(tmp_path, id) -> None:
    with pytest.raises(leafid.RequestInvalidError, match="32 hex digits"):
        SqliteStore(tmp_path / "ids.db", create=True, id=id)
    assert not (tmp_path / "ids.db").exists()


# What is wrong for a store in a file, the error, and its calls that take it.
WRONG_IN_A_FILE = [
    *((workers, leafid.LeafidError, [
        lambda store, workers: SqliteStore(f"{store.path}.other", create=True, workers=workers),
        lambda store, workers: store.create_namespace("pages", workers=workers),
        lambda store, workers: store.set_workers("default", workers),
    ]) for workers in [(1, 2, 3), "", {}, 5, (0, HUGE), ("a", "b")]),
    *((seconds, leafid.LeafidError, [lambda store, seconds: store.create_namespace("pages", max_window=seconds)])
      for seconds in [float("nan"), float("inf"), 1e308, -1.0]),
    *((worker, leafid.WorkerInvalidError, [lambda store, worker: store.release_worker("default", worker)])
      for worker in [HUGE, -1, 2**63, "1", None, 1.0]),
    *((tag, (leafid.LeafidError, TypeError), [SqliteStore.create_tag, SqliteStore.delete_tag])
      for tag in [HALF, 5, None]),
    *(({field: value}, leafid.RequestInvalidError, [lambda store, fields: store.acquire({**ACQUIRE, **fields})])
      for field, value in [
          ("request", 2**31), ("request", None), ("request", HALF), ("owner", HALF), ("owner", {}),
          ("owner", HUGE), ("namespace", HALF), ("length_ms", HUGE),
      ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "error", "calls"), WRONG_IN_A_FILE, ids=[repr(wrong[0])[:40] for wrong in WRONG_IN_A_FILE]
)
def test_what_no_file_can_take(store, given, error, calls) -> None:
    for call in calls:
        tracemalloc.start()
        try:
            with pytest.raises(error):
                call(store, given)
            assert tracemalloc.get_traced_memory()[1] < 100 << 20, "a number is no length"
        finally:
            tracemalloc.stop()
    assert store.acquire(ACQUIRE)["worker"] == 0
