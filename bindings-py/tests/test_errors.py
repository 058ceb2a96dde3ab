"""Errors: a class per code, what else it is, and messages that say what to do."""

from __future__ import annotations

import copy
import pickle

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
def test_strange_names_are_told(tag) -> None:
    with pytest.raises(leafid.TagInvalidError, match="letters, digits") as refused:
        Segment(tag, MemoryStore())
    assert f"`{tag}`" in str(refused.value)
    with pytest.raises(leafid.NamespaceInvalidError):
        Snowflake(tag, MemoryStore())


@pytest.mark.parametrize("step", [0, -1, 2**32])
def test_steps_that_are_none(step) -> None:
    with pytest.raises(leafid.StepInvalidError):
        Segment("orders", MemoryStore(), step=step)


@pytest.mark.parametrize("url", [
    "", "orders", "127.0.0.1:8750", "file:leafid.db", "ftp://host", "http://", "http://host?x=1",
    "http://ho st", "sqlite:leafid.db",
])  # fmt: skip
def test_urls_that_are_no_store(url) -> None:
    for make in (lambda: Segment("orders", url), lambda: HttpStore(url)):
        with pytest.raises(leafid.RequestInvalidError, match="http://127.0.0.1:8750"):
            make()


def test_a_token_stays_out_of_sight() -> None:
    store = HttpStore("http://127.0.0.1:8750/", token="secret")
    assert repr(store) == 'HttpStore("http://127.0.0.1:8750")'
    with pytest.raises(leafid.RequestInvalidError):
        HttpStore("http://127.0.0.1:8750", token="sec\nret")


def test_no_store_at_all(monkeypatch) -> None:
    monkeypatch.delenv("LEAFID_STORE", raising=False)
    with pytest.raises(leafid.RequestInvalidError, match="LEAFID_STORE"):
        Segment("orders")
    monkeypatch.setenv("LEAFID_STORE", "http://127.0.0.1:8750")
    assert Segment("orders").tag == "orders"


def test_objects_without_the_methods() -> None:
    with pytest.raises(TypeError, match="`int` has no `lease_segment`"):
        Segment("orders", 17)
    with pytest.raises(TypeError, match="`acquire`"):
        Snowflake(store=object())


@pytest.mark.parametrize("how", [{"worker": 7}, {"workers": range(0, 8)}])
def test_numbers_by_hand_show_the_right_line(how) -> None:
    with pytest.raises(leafid.WorkerInvalidError, match=r'Snowflake\("default", store="http://'):
        Snowflake(**how, store=MemoryStore())


@pytest.mark.parametrize("how", [
    {"timeout": -1}, {"timeout": float("nan")}, {"length": -1}, {"max_ahead": float("inf")},
])  # fmt: skip
def test_lengths_that_are_none(how) -> None:
    with pytest.raises(ValueError):
        Snowflake(**how, store=MemoryStore())
    with pytest.raises(ValueError):
        Segment("orders", MemoryStore()).next(timeout=-1)


def test_layouts_that_are_none() -> None:
    with pytest.raises(leafid.LayoutInvalidError):
        Layout(epoch_ms=0, tick_ms=1, time_bits=41, worker_bits=11, sequence_bits=12)
    with pytest.raises(leafid.LayoutInvalidError, match="`wide`"):
        Snowflake(layout="wide", store=MemoryStore())
    with pytest.raises(leafid.WorkerInvalidError):
        Layout.leaf.compose(1_700_000_000_000, 1_024, 0)
