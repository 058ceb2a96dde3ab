"""Invalid arguments: errors name the argument, with a code; values at the limits are accepted."""

import itertools
import os
import re
import sys
import tracemalloc
import uuid
from array import array
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import leafid
from leafid import HttpStore, Layout, LeafidError, MemoryStore, Segment, Snowflake, SqliteStore, registry

# A call, its error, and the message, where `~` stands for more words.
Refused = tuple[Callable[[], object], Any, str]
# An error that Python itself raises, without a code.
PLAIN = (TypeError,)
# A text with a byte that is not UTF-8 (surrogateescape), and one with a lone surrogate.
HUGE, ODD, HALF = 2**200, os.fsdecode(b"caf\xe9"), "caf\ud800"
LEAF = {"epoch_ms": 0, "tick_ms": 1, "time_bits": 41, "worker_bits": 10, "sequence_bits": 12}
ASK = {"tag": "orders", "request": "01" * 16}
ACQUIRE = {"namespace": "default", "request": "02" * 16, "owner": "me", "length_ms": 10_000}
SECONDS = "must be a number of seconds, got a"
MAX_WINDOW = "`max_window` must be 1 to 86400 seconds, got"
MOMENT = "~whole ms since 1970 or a `datetime`~"
NO_ID = "text `{}` is not a valid ID: pass an ID exactly as it was issued"


def segment(tag="orders", store=None, **how) -> Segment:
    return Segment(tag, store or MemoryStore(), **how)


def snowflake(namespace="default", store=None, **how) -> Snowflake:
    return Snowflake(namespace, store or MemoryStore(), **how)


def namespace(**how) -> None:
    MemoryStore().create_namespace("other", **how)


def closed(ids: leafid.Generator) -> int:
    ids.close()
    return ids.next()


def names() -> Iterator[Refused]:
    # The vectors test which names are valid. Messages go to terminals: control characters are replaced,
    # and passwords left out.
    for name, shown in [("", ""), ("ä", "ä"), ("a\0", "a\ufffd"), ("http://u:geheim@h", "http://…@h")]:
        yield partial(segment, name), leafid.TagInvalidError, f"tag `{shown}` is not a valid name: ~letters, digits~"
        yield partial(snowflake, name), leafid.NamespaceInvalidError, f"namespace `{shown}` is not a valid name~"
    for owner, shown in [("", "``"), ("a\nb", "`a\nb`"), ("ü" * 10_000, f"`{'ü' * 100}…` of 20000 bytes")]:
        wanted = "`owner` must be 1 to 128 bytes without control characters, got "
        yield partial(snowflake, owner=owner), leafid.RequestInvalidError, wanted + shown
    for strict, owner, wanted in [
        ({"strict": True}, {"owner": "pod-0"}, "~needs `sticky=True`~"),
        ({"sticky": True}, {}, "~needs an `owner` that is the same after a restart~"),
    ]:
        yield partial(snowflake, **strict, **owner), leafid.RequestInvalidError, wanted


def numbers() -> Iterator[Refused]:
    for step, name in itertools.product([0, -1, 2**31, 10**30], ["step", "max_step"]):
        wanted = f"`{name}` must be 1 to 2147483647, got `{step}`"
        yield partial(segment, **{name: step}), leafid.StepInvalidError, wanted
    for act, kind, wanted in [
        (leafid.decode, leafid.IdInvalidError, "`id` must be 0 to 18446744073709551615"),
        (leafid.base32, leafid.IdInvalidError, "`id` must be 0 to 9223372036854775807"),
        (leafid.decimal, leafid.IdInvalidError, "`id` must be 0 to 9223372036854775807"),
        (segment().take, leafid.CountInvalidError, "`n` must be 0 to 9223372036854775807"),
        (segment().ready, leafid.CountInvalidError, "`n` must be 0 to 9223372036854775807"),
        (lambda n: snowflake(spread=n), leafid.RangeInvalidError, "`spread` must be 0 to 4294967295"),
    ]:
        for number in (-1, 2**64, 10**30):
            yield partial(act, number), kind, f"{wanted}, got `{number}`"
        yield partial(act, "7"), TypeError, "~must be an `int`, got a `str`"
    yield partial(leafid.decode, 2**63, Layout.leaf), leafid.IdInvalidError, f"~`{2**63}`~"
    for field, number in itertools.product(LEAF, (HUGE, -HUGE)):
        yield partial(Layout, **{**LEAF, field: number}), leafid.LayoutInvalidError, "~"
    yield partial(Layout, **{**LEAF, "worker_bits": 11}), leafid.LayoutInvalidError, "~`41/11/12`~at most 63 bits~"


def moments() -> Iterator[Refused]:
    leaf, now = Layout.leaf, 1_700_000_000_000
    for parts, wanted in [
        ((now, 1_024, 0), "`worker` must be 0 to 1023, got `1024`"),
        ((now, 0, 4_096), "`sequence` must be 0 to 4095, got `4096`"),
        ((-5, 0, 0), f"`time` must be {leaf.epoch_ms} to {leaf.last_ms} ms since 1970, got `-5`"),
    ]:
        yield partial(leaf.compose, *parts), LeafidError, wanted
    for act in (leaf.first_id, leaf.last_id, lambda time: leaf.compose(time, 0, 0)):
        for time in (HUGE, -HUGE, 2**63 - 1, -(2**63)):
            yield partial(act, time), LeafidError, "~"
        for time in ("x", 1.5, None, b"x"):
            yield partial(act, time), PLAIN, MOMENT
    for name, seconds, range, got in [
        ("timeout", -1, "0 or more", "-1"), ("timeout", float("nan"), "0 or more", "NaN"),
        ("length", 1e9, "0 to 4294967", "1000000000"), ("max_ahead", float("inf"), "0 to 4294967", "inf"),
    ]:  # fmt: skip
        wanted = f"`{name}` must be {range} seconds, got `{got}`"
        yield partial(snowflake, **{name: seconds}), leafid.RequestInvalidError, wanted
    for seconds, shown in [(0.999, "0.999"), (86_401, "86401")]:
        yield partial(namespace, max_window=seconds), leafid.RangeInvalidError, f"{MAX_WINDOW} `{shown}`"


def texts() -> Iterator[Refused]:
    """Lone surrogates in every text argument, and impossible paths."""
    for act in [
        lambda: Segment(HALF, "memory:"), lambda: Segment("a", HALF), lambda: Snowflake(HALF, "memory:"),
        lambda: Snowflake(store="memory:", owner=HALF), lambda: leafid.decode(1, HALF), lambda: HttpStore(HALF),
        lambda: HttpStore("http://127.0.0.1:1", token=HALF), lambda: leafid.SqlStore(HALF),
        *(partial(SqliteStore, name) for name in (HALF, "a\0b", "")),
    ]:  # fmt: skip
        yield act, LeafidError, "~"
    for name in ("ca", "cert", "key"):
        yield partial(HttpStore, "https://127.0.0.1:1", **{name: HALF}), leafid.RequestInvalidError, "~half a character~"
    yield partial(snowflake, state=HALF), leafid.RequestInvalidError, "~half a character~"
    yield partial(snowflake, state=""), leafid.StateInvalidError, "~got an empty one~"
    yield partial(HttpStore, "https://127.0.0.1:1", ca=f"/none/{ODD}.pem"), leafid.RequestInvalidError, "~caf~"
    yield partial(HttpStore, "http://127.0.0.1:8750", token="sec\nret"), leafid.RequestInvalidError, "`token`~"
    for text in ("007", "", "-1", "1.0", "９"):
        yield partial(leafid.parse_decimal, text), leafid.IdInvalidError, NO_ID.format(text)
    yield partial(leafid.parse_base32, "x"), leafid.IdInvalidError, NO_ID.format("x")


def stores() -> Iterator[Refused]:
    for ask, wanted in [
        ({}, "`tag` of the ask is missing"), ({"tag": 5}, "`tag` of the ask cannot be `5`"),
        ({"tag": "a"}, "`request` of the ask is missing"), ([], "the ask is a `list`, not a dict"),
    ]:  # fmt: skip
        yield partial(MemoryStore().lease_segment, ask), leafid.RequestInvalidError, wanted
    for now in ((registry.lease_segment, {}, {}), (registry.renew, {}, {}, {}), (registry.release, {}, {})):
        act, *rows = now
        yield partial(act, "5a" * 16, *rows, HUGE), leafid.RequestInvalidError, "~now_ms~"
    space = registry.namespace_row({"layout": "leaf"})
    for candidates in (None, [], {"own": 5}, {"rested": {"owner": "host-1"}}):
        act = partial(registry.acquire, "5a" * 16, space, candidates, ACQUIRE, 1_800_000_000_000)
        yield act, leafid.RequestInvalidError, "~the candidates~"
    for act, wanted in [
        (partial(registry.tag_row, {"tag": "orders", "stpe": 10}), "unknown field `stpe`: fields are `tag`, `from`, ~"),
        (partial(registry.namespace_row, {"layout": "leaf", "wokers": {}}), "unknown field `wokers`: ~`namespace`, ~"),
    ]:
        yield act, leafid.RequestInvalidError, wanted
    for id in ("zz", "", 5, uuid.uuid4(), "5a" * 17):
        yield partial(SqliteStore, "none.db", create=True, id=id), leafid.RequestInvalidError, "~32 hex digits~"
    for workers, wanted in [((8, 8), "(8, 8)"), ((-1, 8), "(-1, 8)"), (range(8), "range(0, 8)")]:
        act = partial(Snowflake, "pages", "sqlite:none.db", create=True, workers=workers)
        yield act, leafid.WorkerInvalidError, f"~such as `(0, 512)`, got `{wanted}`~"
    for make in (partial(SqliteStore, "none.db"), partial(leafid.SqlStore, "sqlite:none.db")):
        yield partial(make, workers=(0, 8)), leafid.WorkerInvalidError, "~add `create=True`, or leave it out"
    for url, workers, create, wanted in [
        ("memory:", (0, 8), True, "hands out numbers of its own"),
        ("http://127.0.0.1:1", (0, 8), True, "leafid namespace set pages --workers 0..8"),
        ("sqlite:none.db", (0, 8), False, "add `create=True`"),
        ("sqlite:none.db", (0, 2_000), True, "make the store first"),
    ]:
        act = partial(Snowflake, "pages", url, workers=workers, create=create)
        yield act, leafid.WorkerInvalidError, f"~{wanted}~"
    for act, wanted in [
        (lambda: Segment("orders", "http://127.0.0.1:1", create=True), "~leafid tag create orders~"),
        (lambda: Snowflake(store="http://127.0.0.1:1", create=True), "~leafid namespace create default~"),
        (lambda: Segment("orders", "sqlite:"), "~needs a path~"),
    ]:
        yield act, leafid.RequestInvalidError, wanted


TYPES: list[tuple[Callable[[], object], str]] = [
    (lambda: Segment(None), "`tag` must be a `str`, got a `NoneType`"),
    (lambda: Snowflake(5), "`namespace` must be a `str`, got a `int`"),
    (lambda: Snowflake(owner=5), "`owner` must be a `str`, got a `int`"),
    (lambda: segment(timeout="5s"), f"`timeout` {SECONDS} `str`"),
    (lambda: segment(timeout=None), f"`timeout` {SECONDS} `NoneType`"),
    (lambda: segment().next("a"), f"`timeout` {SECONDS} `str`"),
    (lambda: segment().take(0, "a"), f"`timeout` {SECONDS} `str`"),
    (lambda: Snowflake(length="1h"), f"`length` {SECONDS} `str`"),
    (lambda: Snowflake(max_ahead=[]), f"`max_ahead` {SECONDS} `list`"),
    (lambda: HttpStore(5), "`url` must be a `str`, got a `int`"),
    (lambda: HttpStore("http://h", token=b"t"), "`token` must be a `str`, got a `bytes`"),
    (lambda: HttpStore("https://h", ca=1), "`ca` must be the path of a file, got a `int`"),
    (lambda: snowflake(state=1), "`state` must be the path of a file, got a `int`"),
    (lambda: Segment("orders", 17), "`int` has no `lease_segment`~"),
    (lambda: Snowflake(store=object()), "~`acquire`~"),
]  # fmt: skip
REFUSED: list[Refused] = [
    *names(), *numbers(), *moments(), *texts(), *stores(),
    *((act, TypeError, said) for act, said in TYPES),
    (lambda: snowflake(owner="pod-0", sticky="yes"), PLAIN, "~"),
    *((partial(make, create=create), PLAIN, "`create` must be True or False, got ~")
      for make in (partial(SqliteStore, "none.db"), partial(leafid.SqlStore, "sqlite:none.db"))
      for create in ("no", 1, {"tags": {}})),
    (lambda: segment(step=6, max_step=5), leafid.StepInvalidError, "`step` must be 1 to 5, got `6`"),
    (lambda: snowflake(layout="wide"), leafid.LayoutInvalidError, "~`wide`: use `leaf`, `edge`, `long` or~"),
    *(
        (partial(closed, make()), leafid.ClosedError, f"the generator of {name} is closed: create a new one")
        for make, name in [(segment, "tag `orders`"), (snowflake, "namespace `default`")]
    ),
]  # fmt: skip


def as_pattern(said: str) -> str:
    """A pattern for exactly this message, where `~` stands for more words."""
    return ".*".join(map(re.escape, said.split("~")))


@pytest.mark.parametrize(("act", "kind", "said"), REFUSED, ids=[f"{said[:60]!a}" for _, _, said in REFUSED])
def test_what_is_refused_is_named(act, kind, said, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as refused:
        act()
    assert re.fullmatch(as_pattern(said), str(refused.value), re.S), refused.value
    if kind is TypeError:
        assert refused.value.code == "REQUEST_INVALID"
    assert not list(tmp_path.iterdir()), "no file was made"


def test_what_is_just_allowed() -> None:
    namespace(max_window=1)
    namespace(max_window=86_400)
    assert Layout.leaf.first_id(datetime.fromtimestamp(1_800_000_000)) == Layout.leaf.first_id(1_800_000_000_000)


@pytest.mark.parametrize("timeout", [-1, float("nan")])
def test_a_time_out_is_checked_even_where_nothing_has_to_wait(memory, make, timeout) -> None:
    ids = make(memory)
    assert ids.take(0) == [] and ids.ready(0) is None
    assert ids.fill(array("Q")) is None and ids.fill_available(array("Q")) == 0
    assert ids.stats().asks == 0, "nothing is had without an ask"
    ids.next()
    issued = ids.stats().ids
    for act in (
        lambda: ids.next(timeout=timeout),
        lambda: ids.take(0, timeout),
        lambda: ids.fill(array("Q", [0]), timeout),
        lambda: ids.fill_available(array("Q"), timeout),
        lambda: ids.ready(0, timeout),
    ):
        with pytest.raises(leafid.RequestInvalidError, match="`timeout` must be 0 or more"):
            act()
    assert ids.stats().ids == issued


# Invalid values for a store in a file, the error, and the calls that take them.
WRONG_IN_A_FILE = [
    *((workers, LeafidError, [
        lambda store, workers: SqliteStore(f"{store.path}.other", create=True, workers=workers),
        lambda store, workers: store.create_namespace("pages", workers=workers),
        lambda store, workers: store.set_workers("default", workers),
    ]) for workers in [(1, 2, 3), "", {}, 5, (0, HUGE), ("a", "b")]),
    *((seconds, LeafidError, [lambda store, seconds: store.create_namespace("pages", max_window=seconds)])
      for seconds in [float("nan"), float("inf"), 1e308, -1.0]),
    *((worker, leafid.WorkerInvalidError, [lambda store, worker: store.release_worker("default", worker)])
      for worker in [HUGE, -1, 2**63, "1", None, 1.0]),
    *((tag, (LeafidError, TypeError), [SqliteStore.create_tag, SqliteStore.delete_tag]) for tag in [HALF, 5, None]),
    *(({field: value}, leafid.RequestInvalidError, [lambda store, fields: store.acquire({**ACQUIRE, **fields})])
      for field, value in [
          ("request", 2**31), ("request", None), ("request", HALF), ("owner", HALF), ("owner", {}),
          ("owner", HUGE), ("namespace", HALF), ("length_ms", HUGE),
      ]),
    ("a", LeafidError, [lambda store, step: store.create_tag("orders", step=step, if_missing=True)]),
]  # fmt: skip


@pytest.mark.parametrize(("given", "error", "calls"), WRONG_IN_A_FILE, ids=[repr(one[0])[:40] for one in WRONG_IN_A_FILE])
def test_what_no_file_can_take(tmp_path, given, error, calls) -> None:
    store = SqliteStore(tmp_path / "ids.db", create=True)
    for call in calls:
        tracemalloc.start()
        try:
            with pytest.raises(error):
                call(store, given)
            assert tracemalloc.get_traced_memory()[1] < 100 << 20, "a number is no length"
        finally:
            tracemalloc.stop()
    assert store.acquire(ACQUIRE)["worker"] == 0


def test_a_file_whose_name_is_not_utf8_is_taken(tmp_path: Path) -> None:
    store = SqliteStore(f"{tmp_path}/{ODD}.db", create=True)
    store.create_tag("orders")
    assert store.lease_segment(ASK)["start"] == 1
    if sys.platform == "linux":
        with Snowflake("default", MemoryStore(), state=f"{tmp_path}/{ODD}.state") as ids:
            assert ids.next() and os.path.exists(f"{tmp_path}/{ODD}.state")
