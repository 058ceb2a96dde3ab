"""Errors: a class per code, what else it is, and messages that say what to do."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
import socket
from array import array
from collections.abc import Callable, Iterator
from functools import partial

import pytest

import leafid
from leafid import HttpStore, Layout, LeafidError, MemoryStore, Segment, Snowflake, errors, testing
from support.waiting import failing, refusal

# A call, the error, and its sentence, where `~` stands for more words.
Refused = tuple[Callable[[], object], type[Exception], str]


@pytest.mark.parametrize("code", testing.codes())
def test_every_code_has_a_class(code) -> None:
    kind = getattr(errors, testing.code(code)["class"])
    assert issubclass(kind, LeafidError) and kind.code == code
    assert getattr(leafid, kind.__name__) is kind
    assert kind.__name__ in leafid.__all__, "else pyright calls it private"
    error = kind("why", retry_after=1.5)
    assert (str(error), error.retry_after, error.until_ms) == ("why", 1.5, None)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(again), str(again), again.retry_after) == (kind, "why", 1.5)


@pytest.mark.parametrize("code", testing.codes())
def test_every_code_of_an_own_store_is_kept(code) -> None:
    kind = getattr(errors, testing.code(code)["class"])

    class Refuses:
        def lease_segment(self, ask):
            raise kind("as the store says", retry_after=0.01)

    ids = Segment("orders", Refuses(), timeout=20)
    error = refusal(ids, testing.code(code)["permanent"])
    assert type(error) is kind and str(error) == "as the store says"
    assert type(error.__cause__) is kind and error.retry_after == 0.01


def test_classes_are_what_python_would_catch() -> None:
    for kind, base in [
        (leafid.TimedOutError, TimeoutError),
        (leafid.TagInvalidError, ValueError),
        (leafid.TagUnknownError, LookupError),
        (leafid.StoreUnavailableError, ConnectionError),
        (leafid.ForbiddenError, PermissionError),
        (leafid.TimeOverflowError, OverflowError),
    ]:
        assert issubclass(kind, base)


def segment(tag="orders", store=None, **how) -> Segment:
    return Segment(tag, store or MemoryStore(), **how)


def snowflake(namespace="default", store=None, **how) -> Snowflake:
    return Snowflake(namespace, store or MemoryStore(), **how)


def namespace(**how) -> None:
    MemoryStore().create_namespace("other", **how)


def closed(ids: Segment | Snowflake) -> int:
    ids.close()
    return ids.next()


def refused_names() -> Iterator[Refused]:
    for name in ["", " ", "a b", "../x", "ä", "x" * 129, "a/b", "a\0", "http://u:geheim@h"]:
        # A message is for a terminal: what would steer one is shown as a sign, and no password at all.
        shown = name.replace("\0", "\ufffd").replace("u:geheim", "…")
        yield partial(segment, name), leafid.TagInvalidError, f"tag `{shown}` is not a valid name: ~letters, digits~"
        yield partial(snowflake, name), leafid.NamespaceInvalidError, f"namespace `{shown}` is not a valid name~"
    for owner, shown in [
        ("", "``"), ("a\nb", "`a\nb`"), ("x" * 129, f"`{'x' * 100}…` of 129 bytes"),
        ("ü" * 10_000, f"`{'ü' * 100}…` of 20000 bytes"),
    ]:  # fmt: skip
        wanted = "`owner` must be 1 to 128 bytes without control characters, got "
        yield partial(snowflake, owner=owner), leafid.RequestInvalidError, wanted + shown


def refused_numbers() -> Iterator[Refused]:
    for step, name in itertools.product([0, -1, 2**31, 2**63, 10**30], ["step", "max_step"]):
        wanted = f"`{name}` must be 1 to 2147483647, got `{step}`"
        yield partial(segment, **{name: step}), leafid.StepInvalidError, wanted
    for number in (-1, 2**64, 10**30):
        for act, kind, wanted in [
            (leafid.decode, leafid.IdInvalidError, "`id` must be 0 to 18446744073709551615"),
            (leafid.base32, leafid.IdInvalidError, "`id` must be 0 to 9223372036854775807"),
            (leafid.decimal, leafid.IdInvalidError, "`id` must be 0 to 9223372036854775807"),
            (segment().take, leafid.CountInvalidError, "`n` must be 0 to 9223372036854775807"),
            (segment().ready, leafid.CountInvalidError, "`n` must be 0 to 9223372036854775807"),
            (lambda n: snowflake(spread=n), leafid.RangeInvalidError, "`spread` must be 0 to 4294967295"),
        ]:
            yield partial(act, number), kind, f"{wanted}, got `{number}`"
            yield partial(act, "7"), TypeError, "~must be an `int`, got a `str`"
    leaf, now = Layout.leaf, 1_700_000_000_000
    for parts, wanted in [
        ((now, 1_024, 0), "`worker` must be 0 to 1023, got `1024`"),
        ((now, -1, 0), "`worker` must be 0 to 1023, got `-1`"),
        ((now, 0, 4_096), "`sequence` must be 0 to 4095, got `4096`"),
        ((-5, 0, 0), f"`time` must be {leaf.epoch_ms} to {leaf.last_ms} ms since 1970, got `-5`"),
    ]:
        yield partial(leaf.compose, *parts), leafid.LeafidError, wanted


SECONDS = "must be a number of seconds, got a"
MAX_WINDOW = "`max_window` must be 1 to 86400 seconds, got"
BITS = {"epoch_ms": 0, "tick_ms": 1, "time_bits": 41, "worker_bits": 11, "sequence_bits": 12}
REFUSED: list[Refused] = [
    *refused_names(),
    *refused_numbers(),
    (lambda: segment(step=6, max_step=5), leafid.StepInvalidError, "`step` must be 1 to 5, got `6`"),
    (
        lambda: snowflake(max_ahead=0.0, spread=0).take(5_000),
        leafid.CountInvalidError,
        "namespace `default` gives at most 4096 IDs at once, got `5000`",
    ),
    *(
        (partial(snowflake, **{name: seconds}), leafid.RequestInvalidError, f"`{name}` must be {range} seconds, got `{got}`")
        for name, seconds, range, got in [
            ("timeout", -1, "0 or more", "-1"),
            ("timeout", float("nan"), "0 or more", "NaN"),
            ("length", -1, "0 to 4294967", "-1"),
            ("length", 1e9, "0 to 4294967", "1000000000"),
            ("max_ahead", float("inf"), "0 to 4294967", "inf"),
        ]
    ),
    (lambda: namespace(max_window=1e9), ValueError, "`max_window`~ `1000000000`"),
    (lambda: namespace(max_window=0.999), leafid.RangeInvalidError, f"{MAX_WINDOW} `0.999`"),
    (lambda: namespace(max_window=86_401), leafid.RangeInvalidError, f"{MAX_WINDOW} `86401`"),
    (lambda: Segment(None), TypeError, "`tag` must be a `str`, got a `NoneType`"),
    (lambda: Segment(5), TypeError, "`tag` must be a `str`, got a `int`"),
    (lambda: segment(timeout="5s"), TypeError, f"`timeout` {SECONDS} `str`"),
    (lambda: segment(timeout=None), TypeError, f"`timeout` {SECONDS} `NoneType`"),
    (lambda: segment().next("a"), TypeError, f"`timeout` {SECONDS} `str`"),
    (lambda: segment().take(0, "a"), TypeError, f"`timeout` {SECONDS} `str`"),
    (lambda: Snowflake(None), TypeError, "`namespace` must be a `str`, got a `NoneType`"),
    (lambda: Snowflake(owner=5), TypeError, "`owner` must be a `str`, got a `int`"),
    (lambda: Snowflake(length="1h"), TypeError, f"`length` {SECONDS} `str`"),
    (lambda: Snowflake(max_ahead=[]), TypeError, f"`max_ahead` {SECONDS} `list`"),
    (lambda: HttpStore(5), TypeError, "`url` must be a `str`, got a `int`"),
    (lambda: HttpStore("http://h", token=b"t"), TypeError, "`token` must be a `str`, got a `bytes`"),
    (lambda: Segment("orders", 17), TypeError, "`int` has no `lease_segment`~"),
    (lambda: Snowflake(store=object()), TypeError, "~`acquire`~"),
    (lambda: snowflake(layout="wide"), leafid.LayoutInvalidError, "~`wide`: use `leaf`, `edge`, `long` or~"),
    (lambda: Layout(**BITS), leafid.LayoutInvalidError, "~`41/11/12`~ ~at most 63 bits together~"),
    (
        lambda: Layout(**{**BITS, "tick_ms": 0, "worker_bits": -1}),
        leafid.LayoutInvalidError,
        "~`41/-1/12` with ticks of `0` ms~",
    ),
    (
        lambda: leafid.parse_decimal("007"),
        leafid.IdInvalidError,
        "text `007` is not a valid ID: pass an ID exactly as it was issued",
    ),
    (
        lambda: leafid.parse_base32("x"),
        leafid.IdInvalidError,
        "text `x` is not a valid ID: pass an ID exactly as it was issued",
    ),
    *(
        (partial(closed, make()), leafid.ClosedError, f"the generator of {name} is closed: create a new one")
        for make, name in [(segment, "tag `orders`"), (snowflake, "namespace `default`")]
    ),
    (lambda: MemoryStore().lease_segment({}), leafid.RequestInvalidError, "`tag` of the ask is missing"),
    (lambda: MemoryStore().lease_segment({"tag": 5}), leafid.RequestInvalidError, "`tag` of the ask cannot be `5`"),
    (lambda: MemoryStore().lease_segment({"tag": "a"}), leafid.RequestInvalidError, "`request` of the ask is missing"),
    (lambda: MemoryStore().lease_segment([]), leafid.RequestInvalidError, "the ask is a `list`, not a dict"),
    *(
        (partial(Snowflake, "pages", store, workers=workers, create=create), leafid.WorkerInvalidError, f"~{wanted}~")
        for store, workers, create, wanted in [
            ("memory:", (0, 8), True, "hands out numbers of its own"),
            ("http://127.0.0.1:1", (0, 8), True, "leafid namespace set pages --workers 0..8"),
            ("sqlite:ids.db", (0, 8), False, "add `create=True`"),
            ("sqlite:ids.db", range(8), True, "such as `(0, 512)`, got `range(0, 8)`"),
            ("sqlite:ids.db", (8, 8), True, "such as `(0, 512)`, got `(8, 8)`"),
            ("sqlite:ids.db", (-1, 8), True, "such as `(0, 512)`, got `(-1, 8)`"),
            ("sqlite:ids.db", (0, 2_000), True, "make the store first"),
        ]
    ),
]


def as_pattern(said: str) -> str:
    """A sentence word for word, but that `~` stands for more of them."""
    return ".*".join(map(re.escape, said.split("~")))


@pytest.mark.parametrize(("act", "kind", "said"), REFUSED, ids=[said for _, _, said in REFUSED])
def test_what_is_refused_is_named(act, kind, said, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as refused:
        act()
    assert re.fullmatch(as_pattern(said), str(refused.value), re.S), refused.value
    if kind is TypeError:
        assert refused.value.code == "REQUEST_INVALID"


def test_what_is_just_allowed() -> None:
    namespace(max_window=1)
    namespace(max_window=86_400)
    with pytest.raises(TypeError, match="unexpected keyword argument 'worker'"):
        snowflake(worker=7)


@pytest.mark.parametrize("url", [
    "", "orders", "127.0.0.1:8750", "file:leafid.db", "ftp://host", "http://", "http://host?x=1",
    "http://ho st",
])  # fmt: skip
def test_urls_that_are_not_a_store(url) -> None:
    for make in (lambda: Segment("orders", url), lambda: HttpStore(url)):
        with pytest.raises(leafid.RequestInvalidError, match="http://127.0.0.1:8750"):
            make()


def test_a_token_stays_out_of_sight() -> None:
    store = HttpStore("http://127.0.0.1:8750/", token="secret")
    assert repr(store) == 'HttpStore("http://127.0.0.1:8750")'
    with pytest.raises(leafid.RequestInvalidError):
        HttpStore("http://127.0.0.1:8750", token="sec\nret")


@pytest.mark.parametrize("url, shown", [
    ("redis://u:geheim@h/d", "`redis://…@h/d` begins like the URL of no store"),
    ("u:geheim@h", "`…@h` begins like the URL of no store"),
    ("u:geheim://x@h", "`…@h`"),
    ("http://u:ge@heim@h?x=1", "`http://…@h?x=1`"),
    ("http://u:ge heim/@h", "`http://…@h` is not a URL"),
    ("http://u:geheim@h:0", "`http://…@h:0` has a port"),
])  # fmt: skip
def test_a_password_in_a_url_stays_out_of_messages(monkeypatch, url, shown) -> None:
    monkeypatch.setenv("LEAFID_STORE", url)
    for make in (lambda: Segment("orders"), lambda: Snowflake(store=url), lambda: HttpStore(url)):
        with pytest.raises(leafid.RequestInvalidError) as refused:
            make()
        assert shown in str(refused.value) and "heim" not in str(refused.value)


def test_a_password_in_a_url_stays_out_of_repr_and_of_failures() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    store = HttpStore(f"http://u:geheim@127.0.0.1:{port}")
    assert repr(store) == f'HttpStore("http://…@127.0.0.1:{port}")'
    late = failing(Segment("orders", store))
    for error in (late, late.__cause__):
        assert f"`http://…@127.0.0.1:{port}/v1/" in str(error) and "geheim" not in str(error)


def test_no_store_at_all(monkeypatch) -> None:
    monkeypatch.delenv("LEAFID_STORE", raising=False)
    with pytest.raises(leafid.RequestInvalidError, match="LEAFID_STORE"):
        Segment("orders")
    monkeypatch.setenv("LEAFID_STORE", "http://127.0.0.1:8750")
    assert Segment("orders").tag == "orders"


@pytest.mark.parametrize("timeout", [-1, float("nan")])
def test_a_time_out_is_checked_even_where_nothing_has_to_wait(timeout) -> None:
    for ids in (Segment("orders", MemoryStore()), Snowflake(store=MemoryStore())):
        ids.next()
        issued = ids.stats().ids
        for act in (
            lambda: ids.next(timeout=timeout),
            lambda: ids.take(1, timeout),
            lambda: ids.take(0, timeout),
            lambda: ids.fill(array("Q", [0]), timeout),
            lambda: ids.fill_available(array("Q"), timeout),
            lambda: ids.ready(0, timeout),
        ):
            with pytest.raises(leafid.RequestInvalidError, match="`timeout` must be 0 or more"):
                act()
        assert ids.stats().ids == issued


def test_nothing_is_had_without_an_ask() -> None:
    for ids in (Segment("orders", MemoryStore()), Snowflake(store=MemoryStore())):
        assert ids.take(0) == [] and ids.ready(0) is None and ids.stats().asks == 0
        assert "take(0)" in ids.take.__doc__ and "ready(0)" in ids.ready.__doc__


def test_a_generator_that_has_begun_is_not_pickled_or_copied() -> None:
    for ids in (Segment("orders", MemoryStore()), Snowflake(store=MemoryStore())):
        ids.next()
        for act in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="create another one in the other process"):
                act(ids)
        ids.close()
        with pytest.raises(TypeError, match="create another one in the other process"):
            copy.copy(ids)


