"""Bad answers: a clear error with its code, the generator usable afterwards, nothing lost."""

from __future__ import annotations

import json
import socket
from functools import partial

import pytest

import leafid
from leafid import MemoryStore, Segment, Snowflake
from support.answers import JSON, Answers, problem, wire
from support.waiting import failing, refusal

WRONG_SEGMENTS = {
    "overlapping": lambda grant: {**grant, "start": 1, "end": 11} if grant["start"] > 1 else grant,
    "empty": lambda grant: {**grant, "end": grant["start"]},
    "backwards": lambda grant: {**grant, "start": 50, "end": 40},
    "another tag": lambda grant: {**grant, "tag": "other"},
    "another echo": lambda grant: {**grant, "request": "0" * 32},
    "no echo": lambda grant: {k: v for k, v in grant.items() if k != "request"},
    "beyond 63 bits": lambda grant: {**grant, "end": 2**63},
    "beyond 64 bits": lambda grant: {**grant, "end": 2**64},
    "a float": lambda grant: {**grant, "end": float(grant["end"])},
    "a truth": lambda grant: {**grant, "start": True},
    "negative": lambda grant: {**grant, "start": -5},
    "no numbers": lambda grant: {**grant, "start": "one"},
    "no store": lambda grant: {**grant, "store": None},
    "no dict": lambda grant: list(grant.items()),
    "nothing": lambda grant: None,
    "a step of zero": lambda grant: {**grant, "step": 0},
}
WRONG_WINDOWS = {
    "empty": lambda grant: {**grant, "end": grant["start"]},
    "backwards": lambda grant: {**grant, "start": grant["end"], "end": grant["start"]},
    "over": lambda grant: {**grant, "start": 1, "end": 5},
    "another echo": lambda grant: {**grant, "request": "f" * 32},
    "a worker beyond the layout": lambda grant: {**grant, "worker": 1_024},
    "beyond the layout": lambda grant: {**grant, "end": 2**41 + 1},
    "a layout beyond 63 bits": lambda grant: {
        **grant,
        "layout": {**grant["layout"], "worker_bits": 60},
    },
    "no layout": lambda grant: {**grant, "layout": None},
    "a float": lambda grant: {**grant, "worker": float(grant["worker"]) + 0.5},
    "no dict": lambda grant: list(grant.items()),
    "nothing": lambda grant: None,
}


class Spoilt:
    """A store that answers wrongly until it is put right."""

    def __init__(self, spoil) -> None:
        self.spoil, self.store, self.asked = spoil, MemoryStore(), 0
        self.release = self.store.release
        for verb in ("lease_segment", "acquire", "renew"):
            setattr(self, verb, partial(self._answer, verb))

    def _answer(self, verb, ask):
        self.asked += 1
        grant = getattr(self.store, verb)(ask)
        return self.spoil(grant) if self.spoil else grant


def refused_then_put_right(ids, store) -> list[int]:
    late = failing(ids)
    cause = late.__cause__
    assert isinstance(cause, leafid.GrantInvalidError), repr(cause)
    assert str(cause) in str(late)
    assert store.asked >= 1
    store.spoil = None
    drawn = [ids.next() for _ in range(10)]
    assert drawn == sorted(set(drawn))
    return drawn


@pytest.mark.parametrize("name", WRONG_SEGMENTS)
def test_wrong_segments(name) -> None:
    store = Spoilt(WRONG_SEGMENTS[name])
    ids = Segment("orders", store, step=10)
    if name == "overlapping":
        assert ids.take(10) == list(range(1, 11))
    refused_then_put_right(ids, store)
    assert ids.stats().failures >= 1


@pytest.mark.parametrize("name", WRONG_WINDOWS)
def test_wrong_windows(name) -> None:
    store = Spoilt(WRONG_WINDOWS[name])
    refused_then_put_right(Snowflake(store=store), store)


def test_decimal_strings_are_taken() -> None:
    store = Spoilt(lambda grant: {**grant, "start": str(grant["start"]), "end": str(grant["end"])})
    assert Segment("orders", store).next() == 1


def test_an_exception_is_kept_as_the_cause(make) -> None:
    def broken(_grant):
        raise ZeroDivisionError("no luck")

    store = Spoilt(broken)
    ids = make(store)
    late = failing(ids)
    cause = late.__cause__
    assert late.code == "TIMED_OUT" and isinstance(cause, leafid.StoreUnavailableError)
    assert "`ZeroDivisionError: no luck`" in str(cause)
    assert isinstance(cause.__cause__, ZeroDivisionError)
    store.spoil = None
    assert ids.next(timeout=30) > 0, "it is usable afterwards"


def test_an_awaitable_is_no_answer() -> None:
    class Later:
        def __await__(self):
            yield

    class Async:
        def lease_segment(self, ask):
            return Later()

    assert "is a `Later`, not a dict" in str(failing(Segment("orders", Async())))


HTML = (200, {"content-type": "text/html"}, b"<html><body>welcome</body></html>")
NONSENSE = {
    "html": (HTML, "GRANT_INVALID"),
    "html in json's name": ((200, JSON, HTML[2]), "GRANT_INVALID"),
    "json in html's name": ((200, HTML[1], b"{}"), "GRANT_INVALID"),
    "an empty object": ((200, JSON, b"{}"), "GRANT_INVALID"),
    "a list": ((200, JSON, b"[1, 2]"), "GRANT_INVALID"),
    "half of it": ((200, JSON, b'{"start": "1", "en'), "GRANT_INVALID"),
    "nothing at all": ((200, JSON, b""), "GRANT_INVALID"),
    "a field given twice": ((200, JSON, b'{"end": "5", "end": "9"}'), "GRANT_INVALID"),
    "a mountain": ((200, JSON, b" " * 200_000 + b"{}"), "GRANT_INVALID"),
    "not found": ((404, HTML[1], b"not here"), "GRANT_INVALID"),
    "moved": ((302, {"location": "http://127.0.0.1:1/"}, b""), "GRANT_INVALID"),
    "a bad gateway": ((502, HTML[1], b"bad gateway"), "STORE_UNAVAILABLE"),
    "a bad gateway in json": ((503, JSON, b"{}"), "STORE_UNAVAILABLE"),
    "a cut connection": (None, "STORE_UNAVAILABLE"),
    "a code that no store has": (problem("CLOSED", 500), "STORE_UNAVAILABLE"),
    "a code that nobody knows": (problem("WHATEVER", 418), "GRANT_INVALID"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_over_http(name) -> None:
    answer, code = NONSENSE[name]
    memory = MemoryStore()
    with Answers(lambda path, body: answer) as server:
        ids = Segment("orders", server.url)
        cause = failing(ids).__cause__
        assert cause.code == code, repr(cause)
        assert server.url in str(cause)
        server.answer = lambda path, body: (
            200, JSON, wire(memory.lease_segment({**body, "tag": "orders"}))
        )  # fmt: skip
        assert ids.next() == 1


OVER_HTTP = {
    "a number for a string": lambda grant: {**grant, "start": 1},
    "another echo": lambda grant: {**grant, "request": "0" * 32},
    "a leading zero": lambda grant: {**grant, "end": "09"},
    "64 bits": lambda grant: {**grant, "end": "9223372036854775808"},
    "another tag": lambda grant: {**grant, "tag": "other"},
    # Right: a whole number may have a point.
    "points": lambda grant: {**grant, "step": 1000.0, "now_ms": float(grant["now_ms"])},
}


@pytest.mark.parametrize("name", OVER_HTTP)
def test_grants_over_http(name) -> None:
    memory = MemoryStore()

    def answer(path, body):
        grant = json.loads(wire(memory.lease_segment({**body, "tag": "orders"})))
        return 200, JSON, json.dumps(OVER_HTTP[name](grant)).encode()

    with Answers(answer) as server:
        ids = Segment("orders", server.url)
        if name == "points":
            assert ids.next() == 1
        else:
            assert isinstance(failing(ids).__cause__, leafid.GrantInvalidError)


@pytest.mark.parametrize("permanent, answer", [
    (True, problem("TAG_UNKNOWN", 404, detail="there is no tag `orders`: say so")),
    (True, problem("TAG_SPENT", 422, detail="all gone")),
    (True, problem("UNAUTHORIZED", 401, detail="who are you")),
    (True, (401, {"content-type": "text/plain"}, b"no")),
    (False, problem("QUOTA_EXCEEDED", 429, detail="slowly", retry_after_ms=60_000)),
    (False, problem("STORE_REFUSED", 500, detail="an operator has to look")),
], ids=lambda value: str(value[0]) if isinstance(value, tuple) else "")  # fmt: skip
def test_a_stores_refusals_keep_their_code_and_words(permanent, answer) -> None:
    with Answers(lambda path, body: answer) as server:
        error = refusal(Segment("orders", server.url, timeout=20), permanent)
    said = json.loads(answer[2]) if answer[1] != {"content-type": "text/plain"} else {}
    assert error.code == said.get("code", "UNAUTHORIZED")
    assert said.get("detail", "401") in str(error)
    if "retry_after_ms" in said:
        assert error.retry_after == 60.0
        assert len(server.asked) == 1, "the store's word about when to ask again is kept"


def test_the_moment_when_a_number_is_free_is_kept() -> None:
    full = problem("WORKERS_EXHAUSTED", 503, detail="held", retry_after_ms=9_000, free_at_ms=1234)
    with Answers(lambda path, body: full) as server:
        late = failing(Snowflake(store=server.url))
    cause = late.__cause__
    assert str(late).endswith("held"), "a server's words are enough"
    assert (cause.until_ms, cause.retry_after) == (1234, 9.0)


@pytest.mark.parametrize("answer, same", [
    (None, True),
    (problem("OVERLOADED", 503), False),
    (HTML, False),
], ids=["unanswered", "refused", "nonsense"])  # fmt: skip
def test_a_request_ends_with_any_answer_that_was_read(answer, same) -> None:
    with Answers(lambda path, body: answer) as server:
        failing(Segment("orders", server.url), asks=3)
        requests = [body["request"] for _, body in server.asked]
    assert len(requests) >= 3
    assert len(set(requests)) == (1 if same else len(requests))


def test_a_store_that_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        cause = failing(Segment("orders", "http://localhost:%d" % deaf.getsockname()[1])).__cause__
        assert isinstance(cause, leafid.StoreUnavailableError)
        assert "timeout" in str(cause)


def test_requests_are_as_the_api_says() -> None:
    memory = MemoryStore()
    with Answers(lambda path, body: problem("OVERLOADED", 503)) as server:
        store = leafid.HttpStore(server.url, token="secret")
        for ids in (Segment("orders", store), Snowflake(store=store, length=5, owner="me/1")):
            failing(ids)
        assert server.headers["authorization"] == "Bearer secret"
        assert server.headers["content-type"] == "application/json"
        paths = dict(server.asked)
    assert set(paths) == {"/v1/segments/orders/lease", "/v1/workers/default/acquire"}
    lease, acquire = paths["/v1/segments/orders/lease"], paths["/v1/workers/default/acquire"]
    assert set(lease) == {"request"}
    assert set(acquire) == {"request", "owner", "length_ms", "sticky", "strict"}
    assert (acquire["owner"], acquire["length_ms"]) == ("me/1", 5_000)
    assert memory.id != MemoryStore().id


def test_two_stores_behind_one_address_are_noticed() -> None:
    stores = [MemoryStore(), MemoryStore()]

    def answer(path, body):
        stores.reverse()
        named = {**body, "tag": "orders", "namespace": "default"}
        # As a load balancer between two empty databases: neither knows what was asked before.
        named.pop("store", None)
        named.pop("have_until", None)
        verb = "lease_segment" if "segments" in path else path.rsplit("/", 1)[1]
        return 200, JSON, wire(getattr(stores[0], verb)(named))

    with Answers(answer) as server:
        ids = Segment("orders", server.url, step=10)
        drawn = []
        with pytest.raises(leafid.StoreChangedError, match="answered by another store than before") as stopped:
            while len(drawn) < 100:
                drawn.append(ids.next())
        assert drawn == list(range(1, len(drawn) + 1)) and len(drawn) <= 10
        assert stopped.value.code == "STORE_CHANGED"
        asked = len(server.asked)
        for _ in range(3):
            with pytest.raises(leafid.StoreChangedError):
                ids.next()
        assert len(server.asked) == asked == 2, "it has stopped, and asks no more"
