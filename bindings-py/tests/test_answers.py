"""Reading of stores' answers, good and bad: a bad one gives a clear error with its code, and the generator
stays usable. The vectors test the core's checks of grants, `wire/tests/answers.rs` those of statuses."""

import os
import socket
from functools import partial

import pytest

import leafid
from leafid import MemoryStore, Segment, Snowflake
from support.answers import JSON, Answers, problem, wire
from support.waiting import failing, first_when_made, refusal, refused_at_once


class Later:
    def __await__(self):
        yield


NO_GRANTS = {
    "empty": lambda grant: {**grant, "end": grant["start"]},
    "beyond 64 bits": lambda grant: {**grant, "end": 2**64},
    "a float": lambda grant: {**grant, "end": float(grant["end"])},
    "a truth": lambda grant: {**grant, "start": True},
    "negative": lambda grant: {**grant, "start": -5},
    "no numbers": lambda grant: {**grant, "start": "one"},
    "no echo": lambda grant: {field: value for field, value in grant.items() if field != "request"},
    "no tag, no layout": lambda grant: {**grant, "tag": None, "layout": None},
    "no dict": lambda grant: list(grant.items()),
    "nothing": lambda grant: None,
    "an awaitable": lambda grant: Later(),
}


class Spoilt:
    """A store that answers wrongly until it is repaired."""

    def __init__(self, spoil) -> None:
        self.spoil, self.store = spoil, MemoryStore()
        self.release = self.store.release
        for verb in ("lease_segment", "acquire", "renew"):
            setattr(self, verb, partial(self._answer, verb))

    def _answer(self, verb, ask):
        grant = getattr(self.store, verb)(ask)
        return self.spoil(grant) if self.spoil else grant


def raises(error: Exception):
    def spoil(_grant):
        raise error

    return spoil


@pytest.mark.parametrize("name", NO_GRANTS)
def test_what_is_no_grant(make, name) -> None:
    store = Spoilt(NO_GRANTS[name])
    ids = make(store)
    late = failing(ids)
    assert isinstance(late.__cause__, leafid.GrantInvalidError), repr(late.__cause__)
    assert str(late.__cause__) in str(late)
    store.spoil = None
    drawn = [ids.next() for _ in range(10)]
    assert drawn == sorted(set(drawn))


def test_decimal_strings_are_taken() -> None:
    store = Spoilt(lambda grant: {**grant, "start": str(grant["start"]), "end": str(grant["end"])})
    assert Segment("orders", store).next() == 1


def test_an_exception_is_kept_as_the_cause(make) -> None:
    store = Spoilt(raises(ZeroDivisionError("no luck")))
    ids = make(store)
    late = failing(ids)
    cause = late.__cause__
    assert late.code == "TIMED_OUT" and isinstance(cause, leafid.StoreUnavailableError)
    assert "`ZeroDivisionError: no luck`" in str(cause)
    assert isinstance(cause.__cause__, ZeroDivisionError)
    store.spoil = None
    assert ids.next(timeout=30) > 0, "it is usable afterwards"


HTML = (200, {"content-type": "text/html"}, b"<html><body>welcome</body></html>")
NONSENSE = {
    "html": (HTML, "GRANT_INVALID"),
    "more than is read": ((200, JSON, b" " * 200_000 + b"{}"), "GRANT_INVALID"),
    "moved": ((302, {"location": "http://127.0.0.1:1/"}, b""), "GRANT_INVALID"),
    "a bad gateway": ((502, HTML[1], b"bad gateway"), "STORE_UNAVAILABLE"),
    "a cut connection": (None, "STORE_UNAVAILABLE"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_over_http(name) -> None:
    answer, code = NONSENSE[name]
    memory = MemoryStore()
    with Answers(lambda path, body: answer) as server:
        ids = Segment("orders", server.url)
        cause = failing(ids).__cause__
        assert cause.code == code and server.url in str(cause), repr(cause)
        server.answer = lambda path, body: (200, JSON, wire(memory.lease_segment({**body, "tag": "orders"})))
        assert ids.next() == 1


@pytest.mark.parametrize("answer, permanent, code, words", [
    (problem("TAG_UNKNOWN", 404, detail="there is no tag"), True, "TAG_UNKNOWN", "there is no tag"),
    ((401, {"content-type": "text/plain"}, b"no"), True, "UNAUTHORIZED", "401"),
    (problem("WORKERS_EXHAUSTED", 503, detail="held", retry_after_ms=60_000, free_at_ms=1_234), False,
     "WORKERS_EXHAUSTED", "held"),
], ids=["with a code", "without one", "with a time"])  # fmt: skip
def test_a_stores_refusals_keep_their_code_and_words(make, permanent, answer, code, words) -> None:
    with Answers(lambda path, body: answer) as server:
        error = refusal(make(server.url, timeout=20), permanent)
    assert error.code == code and words in str(error)
    if not permanent:
        assert (error.retry_after, error.until_ms) == (60.0, 1_234)
        assert len(server.asked) == 1, "the store's word about when to ask again is kept"


@pytest.mark.parametrize("answer, same", [(None, True), (HTML, False)], ids=["unanswered", "nonsense"])
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
    with Answers(lambda path, body: problem("OVERLOADED", 503)) as server:
        store = leafid.HttpStore(server.url, token="secret")
        for ids in (Segment("orders", store), Snowflake(store=store, length=5, owner="me/1", sticky=True, strict=True)):
            failing(ids)
        assert server.headers["authorization"] == "Bearer secret"
        assert server.headers["content-type"] == "application/json"
        paths = dict(server.asked)
    lease, acquire = paths["/v1/segments/orders/lease"], paths["/v1/workers/default/acquire"]
    assert set(lease) == {"request"}
    assert set(acquire) == {"request", "owner", "length_ms", "sticky", "strict"}
    assert (acquire["owner"], acquire["length_ms"]) == ("me/1", 5_000)
    assert acquire["sticky"] is acquire["strict"] is True


def test_two_stores_behind_one_address_are_noticed() -> None:
    stores = [MemoryStore(), MemoryStore()]

    def answer(path, body):
        stores.reverse()
        named = {**body, "tag": "orders", "namespace": "default"}
        # Like a load balancer between two empty databases: neither knows earlier requests.
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


def test_https_to_a_server_without_tls_is_said_at_once(server) -> None:
    server.create_tag("orders")
    url = server.url.replace("http://", "https://")
    for ids in (Segment("orders", url), Snowflake(store=url)):
        said = refused_at_once(ids, leafid.RequestInvalidError)
        assert said.startswith(f"`{url}/v1/") and said.endswith("without TLS: use `http://`")


def test_an_unknown_tag_names_the_command_that_creates_it(server) -> None:
    orders = Segment("orders", server.url)
    assert "leafid tag create orders" in refused_at_once(orders, leafid.TagUnknownError)
    server.create_tag("orders")
    assert first_when_made(orders) == 1
    with pytest.raises(leafid.NamespaceUnknownError, match="leafid namespace create other"):
        Snowflake("other", server.url).next()


def test_the_owner_is_this_process_unless_said(server) -> None:
    with Snowflake(store=server.url) as mine, Snowflake(store=server.url, owner="me") as other:
        workers = {leafid.decode(ids.next()).worker for ids in (mine, other)}
        rows = server.workers()
    owners = {row["owner"] for row in rows if row["worker"] in workers}
    assert owners == {f"{socket.gethostname()}/{os.getpid()}", "me"}
