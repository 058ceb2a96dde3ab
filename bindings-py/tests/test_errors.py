"""Errors: a class per code, its other base classes, and no passwords in messages."""

import copy
import pickle
import socket

import pytest

import leafid
from leafid import HttpStore, LeafidError, MemoryStore, Segment, Snowflake, errors
from support.codes import CODES, is_permanent
from support.waiting import failing, refusal


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_class_and_keeps_it(code) -> None:
    kind = getattr(errors, f"{code.title().replace('_', '')}Error")
    assert issubclass(kind, LeafidError) and kind.code == code
    assert getattr(leafid, kind.__name__) is kind
    error = kind("why", retry_after=1.5)
    assert (str(error), error.retry_after, error.until_ms) == ("why", 1.5, None)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(again), str(again), again.retry_after) == (kind, "why", 1.5)

    class Refuses:
        def lease_segment(self, ask):
            raise kind("as the store says", retry_after=0.01)

    said = refusal(Segment("orders", Refuses(), timeout=20), is_permanent(code))
    assert type(said) is kind and str(said) == "as the store says"
    assert type(said.__cause__) is kind and said.retry_after == 0.01


@pytest.mark.parametrize(("kind", "base"), [
    (leafid.TimedOutError, TimeoutError), (leafid.TagInvalidError, ValueError),
    (leafid.TagUnknownError, LookupError), (leafid.StoreUnavailableError, ConnectionError),
    (leafid.ForbiddenError, PermissionError), (leafid.TimeOverflowError, OverflowError),
])  # fmt: skip
def test_classes_are_what_python_would_catch(kind, base) -> None:
    assert issubclass(kind, base)


@pytest.mark.parametrize("url, shown", [
    *((url, "http://127.0.0.1:8750") for url in ["", "orders", "127.0.0.1:8750", "file:leafid.db", "http://ho st"]),
    ("http://", "is not a URL"), ("http://host?x=1", "has a query"),
    *((f"http://{host}{port}", "has a port|is not a URL") for host in ("127.0.0.1", "[::1]", "user:word@localhost")
      for port in (":99999", ":abc", ":-1", ":", ":0", ":+80")),
    # No message contains a password.
    ("redis://u:geheim@h/d", "`redis://…@h/d` begins like the URL of no store"),
    ("u:geheim@h", "`…@h` begins like the URL of no store"),
    ("u:geheim://x@h", "`…@h`"),
    ("http://u:ge@heim@h?x=1", "`http://…@h?x=1`"),
    ("http://u:ge heim/@h", "`http://…@h` is not a URL"),
    ("http://u:geheim@h:0", "`http://…@h:0` has a port"),
])  # fmt: skip
def test_urls_that_are_not_a_store(monkeypatch, url, shown) -> None:
    monkeypatch.setenv("LEAFID_STORE", url)
    for make in (lambda: Segment("orders", url), Snowflake().check, lambda: HttpStore(url)):
        with pytest.raises(leafid.RequestInvalidError) as refused:
            make()
        assert any(way in str(refused.value) for way in shown.split("|")), refused.value
        assert "heim" not in str(refused.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1", "http://[::1]", "http://[::1]:8750", "http://u:w@h:1/path"])
def test_urls_that_are(url) -> None:
    assert HttpStore(url).url == url


def test_secrets_stay_out_of_repr_and_of_failures() -> None:
    assert repr(HttpStore("http://127.0.0.1:8750/", token="secret")) == 'HttpStore("http://127.0.0.1:8750")'
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    store = HttpStore(f"http://u:geheim@127.0.0.1:{port}")
    assert repr(store) == f'HttpStore("http://…@127.0.0.1:{port}")'
    late = failing(Segment("orders", store))
    for error in (late, late.__cause__):
        assert f"`http://…@127.0.0.1:{port}/v1/" in str(error) and "geheim" not in str(error)


def test_a_generator_that_has_begun_is_not_pickled_or_copied() -> None:
    for ids in (Segment("orders", MemoryStore()), Snowflake(store=MemoryStore())):
        ids.next()
        for act in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="create another one in the other process"):
                act(ids)
        ids.close()
        with pytest.raises(TypeError, match="create another one in the other process"):
            copy.copy(ids)
