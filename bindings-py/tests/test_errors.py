"""Errors: a class per code, what else it is, and messages that say what to do."""

from __future__ import annotations

import copy
import pickle
import socket
from array import array

import pytest

import leafid
from leafid import HttpStore, Layout, LeafidError, MemoryStore, Segment, Snowflake, errors, testing
from support.waiting import failing


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
    if testing.code(code)["permanent"]:
        with pytest.raises(LeafidError) as refused:
            ids.next()
        error = refused.value
    else:
        error = failing(ids).__cause__
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


@pytest.mark.parametrize("tag", ["", " ", "a b", "../x", "ä", "x" * 129, "a/b", "a\0"])
def test_names_that_are_not_valid(tag) -> None:
    with pytest.raises(leafid.TagInvalidError, match="letters, digits") as refused:
        Segment(tag, MemoryStore())
    # A message is for a terminal: what would steer one is shown as a sign.
    shown = tag.replace("\0", "\ufffd")
    assert f"tag `{shown}` is not a valid name" in str(refused.value)
    with pytest.raises(leafid.NamespaceInvalidError) as refused:
        Snowflake(tag, MemoryStore())
    assert f"namespace `{shown}` is not a valid name" in str(refused.value)


@pytest.mark.parametrize("owner, shown", [
    ("", "``"),
    ("a\nb", "`a\nb`"),
    ("x" * 129, f"`{'x' * 100}…` of 129 bytes"),
    ("ü" * 10_000, f"`{'ü' * 100}…` of 20000 bytes"),
])  # fmt: skip
def test_owners_that_are_not_valid(owner, shown) -> None:
    with pytest.raises(leafid.RequestInvalidError) as refused:
        Snowflake(owner=owner, store=MemoryStore())
    assert str(refused.value) == (
        f"`owner` must be 1 to 128 bytes without control characters, got {shown}"
    )


@pytest.mark.parametrize("step", [0, -1, 2**31, 2**63, 10**30])
def test_steps_that_are_not_valid(step) -> None:
    with pytest.raises(leafid.StepInvalidError) as refused:
        Segment("orders", MemoryStore(), step=step)
    assert str(refused.value) == f"`step` must be 1 to 2147483647, got `{step}`"
    with pytest.raises(leafid.StepInvalidError) as refused:
        Segment("orders", MemoryStore(), max_step=step)
    assert str(refused.value) == f"`max_step` must be 1 to 2147483647, got `{step}`"


def test_a_step_above_the_generators_own_limit() -> None:
    with pytest.raises(leafid.StepInvalidError) as refused:
        Segment("orders", MemoryStore(), step=6, max_step=5)
    assert str(refused.value) == "`step` must be 1 to 5, got `6`"


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


@pytest.mark.parametrize("kind", [Segment, Snowflake])
def test_a_password_in_a_url_that_was_taken_for_a_name_is_hidden_too(kind) -> None:
    with pytest.raises(ValueError, match="`http://…@h` is not a valid name"):
        kind("http://u:geheim@h")


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


def test_objects_without_the_methods() -> None:
    with pytest.raises(TypeError, match="`int` has no `lease_segment`") as refused:
        Segment("orders", 17)
    assert refused.value.code == "REQUEST_INVALID"
    with pytest.raises(TypeError, match="`acquire`"):
        Snowflake(store=object())


def test_worker_numbers_are_the_stores_to_give() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'worker'"):
        Snowflake(worker=7, store=MemoryStore())


@pytest.mark.parametrize("store, workers, create, wanted", [
    ("memory:", (0, 8), True, "hands out numbers of its own"),
    ("http://127.0.0.1:1", (0, 8), True, "leafid namespace set pages --workers 0..8"),
    ("sqlite:ids.db", (0, 8), False, "add `create=True`"),
    ("sqlite:ids.db", range(8), True, "such as `(0, 512)`, got `range(0, 8)`"),
    ("sqlite:ids.db", (8, 8), True, "such as `(0, 512)`, got `(8, 8)`"),
    ("sqlite:ids.db", (-1, 8), True, "such as `(0, 512)`, got `(-1, 8)`"),
    ("sqlite:ids.db", (0, 2_000), True, "make the store first"),
])  # fmt: skip
def test_a_range_where_none_can_be_given(store, workers, create, wanted, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(leafid.WorkerInvalidError) as refused:
        Snowflake("pages", store, workers=workers, create=create)
    assert wanted in str(refused.value)


@pytest.mark.parametrize("how, wanted", [
    ({"timeout": -1}, "`timeout` must be 0 or more seconds, got `-1`"),
    ({"timeout": float("nan")}, "`timeout` must be 0 or more seconds, got `NaN`"),
    ({"length": -1}, "`length` must be 0 to 4294967 seconds, got `-1`"),
    ({"length": 1e9}, "`length` must be 0 to 4294967 seconds, got `1000000000`"),
    ({"max_ahead": float("inf")}, "`max_ahead` must be 0 to 4294967 seconds, got `inf`"),
])  # fmt: skip
def test_lengths_that_are_not_valid(how, wanted) -> None:
    with pytest.raises(leafid.RequestInvalidError) as refused:
        Snowflake(**how, store=MemoryStore())
    assert str(refused.value) == wanted
    with pytest.raises(ValueError, match="`max_window` .* `1000000000`"):
        MemoryStore().create_namespace("other", max_window=1e9)
    MemoryStore().create_namespace("other", max_window=1)
    MemoryStore().create_namespace("other", max_window=86_400)
    for wrong in (0.999, 86_401):
        with pytest.raises(leafid.RangeInvalidError) as refused:
            MemoryStore().create_namespace("other", max_window=wrong)
        assert str(refused.value) == f"`max_window` must be 1 to 86400 seconds, got `{wrong}`"


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


@pytest.mark.parametrize("act, wanted", [
    (lambda: Segment(None), "`tag` must be a `str`, got a `NoneType`"),
    (lambda: Segment(5), "`tag` must be a `str`, got a `int`"),
    (lambda: Segment("a", MemoryStore(), timeout="5s"), "`timeout` must be {s}, got a `str`"),
    (lambda: Segment("a", MemoryStore(), timeout=None), "`timeout` must be {s}, got a `NoneType`"),
    (lambda: Segment("a", MemoryStore()).next("a"), "`timeout` must be {s}, got a `str`"),
    (lambda: Segment("a", MemoryStore()).take(0, "a"), "`timeout` must be {s}, got a `str`"),
    (lambda: Snowflake(None), "`namespace` must be a `str`, got a `NoneType`"),
    (lambda: Snowflake(owner=5), "`owner` must be a `str`, got a `int`"),
    (lambda: Snowflake(length="1h"), "`length` must be {s}, got a `str`"),
    (lambda: Snowflake(max_ahead=[]), "`max_ahead` must be {s}, got a `list`"),
    (lambda: HttpStore(5), "`url` must be a `str`, got a `int`"),
    (lambda: HttpStore("http://h", token=b"t"), "`token` must be a `str`, got a `bytes`"),
])  # fmt: skip
def test_an_argument_of_another_type_is_named(act, wanted) -> None:
    with pytest.raises(TypeError) as refused:
        act()
    assert str(refused.value) == wanted.format(s="a number of seconds")
    assert refused.value.code == "REQUEST_INVALID"


def test_layouts_that_are_not_valid() -> None:
    with pytest.raises(leafid.LayoutInvalidError, match="`41/11/12` .*at most 63 bits together"):
        Layout(epoch_ms=0, tick_ms=1, time_bits=41, worker_bits=11, sequence_bits=12)
    with pytest.raises(leafid.LayoutInvalidError, match="`41/-1/12` with ticks of `0` ms"):
        Layout(epoch_ms=0, tick_ms=0, time_bits=41, worker_bits=-1, sequence_bits=12)
    with pytest.raises(leafid.LayoutInvalidError, match="`wide`: use `leaf`, `edge`, `long` or"):
        Snowflake(layout="wide", store=MemoryStore())
    leaf, now = Layout.leaf, 1_700_000_000_000
    for parts, wanted in [
        ((now, 1_024, 0), "`worker` must be 0 to 1023, got `1024`"),
        ((now, -1, 0), "`worker` must be 0 to 1023, got `-1`"),
        ((now, 0, 4_096), "`sequence` must be 0 to 4095, got `4096`"),
        ((-5, 0, 0), f"`time` must be {leaf.epoch_ms} to {leaf.last_ms} ms since 1970, got `-5`"),
    ]:
        with pytest.raises(leafid.LeafidError) as refused:
            leaf.compose(*parts)
        assert str(refused.value) == wanted


def test_texts_that_are_not_ids() -> None:
    for parse, text in ((leafid.parse_decimal, "007"), (leafid.parse_base32, "x")):
        with pytest.raises(leafid.IdInvalidError) as refused:
            parse(text)
        said = f"text `{text}` is not a valid ID: pass an ID exactly as it was issued"
        assert str(refused.value) == said


def test_a_closed_generator_is_told_from_its_tag() -> None:
    for ids, what in (
        (Segment("orders", MemoryStore()), "tag `orders`"),
        (Snowflake(store=MemoryStore()), "namespace `default`"),
    ):
        ids.close()
        with pytest.raises(leafid.ClosedError) as refused:
            ids.next()
        assert str(refused.value) == f"the generator of {what} is closed: create a new one"


@pytest.mark.parametrize("number", [-1, 2**64, 10**30])
def test_numbers_that_are_not_valid(number) -> None:
    ids = Segment("orders", MemoryStore())
    for act, kind, wanted in [
        (leafid.decode, leafid.IdInvalidError, "`id` must be 0 to 18446744073709551615"),
        (leafid.base32, leafid.IdInvalidError, "`id` must be 0 to 9223372036854775807"),
        (leafid.decimal, leafid.IdInvalidError, "`id` must be 0 to 9223372036854775807"),
        (ids.take, leafid.CountInvalidError, "`n` must be 0 to 9223372036854775807"),
        (ids.ready, leafid.CountInvalidError, "`n` must be 0 to 9223372036854775807"),
    ]:
        with pytest.raises(kind) as refused:
            act(number)
        assert str(refused.value) == f"{wanted}, got `{number}`"
        with pytest.raises(TypeError, match="must be an `int`, got a `str`"):
            act("7")
    with pytest.raises(leafid.RangeInvalidError, match=f"`spread` .* got `{number}`"):
        Snowflake(store=MemoryStore(), spread=number)


def test_a_generator_that_has_begun_is_not_pickled_or_copied() -> None:
    for ids in (Segment("orders", MemoryStore()), Snowflake(store=MemoryStore())):
        ids.next()
        for act in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="create another one in the other process"):
                act(ids)
        ids.close()
        with pytest.raises(TypeError, match="create another one in the other process"):
            copy.copy(ids)


def test_fields_that_are_not_valid_are_named_with_their_value() -> None:
    store = MemoryStore()
    for ask, wanted in [
        ({}, "`tag` of the ask is missing"),
        ({"tag": 5}, "`tag` of the ask cannot be `5`"),
        ({"tag": "orders"}, "`request` of the ask is missing"),
        ([], "the ask is a `list`, not a dict"),
    ]:
        with pytest.raises(leafid.RequestInvalidError) as refused:
            store.lease_segment(ask)
        assert str(refused.value) == wanted
