"""Faulty hosts get a refusal with a code, or a trap, and never a duplicate."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from functools import reduce
from typing import Any, Callable, Iterator

import pytest
from leafid_component import plain
from wasmtime.component import Record, Variant

from support.hosts import Host, draw, duplicates, refuses

Bend = Callable[[Record], Any]


@contextmanager
def bent(host: Host, verb: str, bend: Bend) -> Iterator[None]:
    """Changes the grants of this verb."""
    right = host.verbs[verb]

    def wrong(context: Any, ask: Any) -> Any:
        answer = right(context, ask)
        bend(getattr(answer, "payload", answer))
        return answer

    host.verbs[verb] = wrong
    yield
    host.verbs[verb] = right


def put(path: str, value: Any) -> Bend:
    def bend(grant: Record) -> None:
        *way, last = path.split(".")
        setattr(reduce(getattr, way, grant), last, value)

    return bend


# The vectors have the other errors of grants.
GRANTS: list[tuple[str, str, Bend, str]] = [
    ("segment", "lease-segment", put("request", (1, 1)), "grant-invalid"),
    ("segment", "lease-segment", put("tag", "no tag"), "grant-invalid"),
    ("snowflake", "acquire", put("worker", 1024), "grant-invalid"),
    ("snowflake", "acquire", put("layout.time-bits", 200), "grant-invalid"),
    ("snowflake", "acquire", put("now", -(2**63)), "time-overflow"),
]


@pytest.mark.parametrize(("kind", "verb", "bend", "code"), GRANTS)
def test_a_grant_that_is_none(host: Host, kind: str, verb: str, bend: Bend, code: str) -> None:
    generator = getattr(host, kind)()
    with bent(host, verb, bend), refuses(code):
        generator.refill()
    assert generator.failing() == code
    # The longest back-off of a generator that has nothing.
    host.passes(1_000)
    ids = draw(host, generator, 2_000)
    assert duplicates(ids) == 0


def test_an_answer_of_the_other_kind(host: Host) -> None:
    segment, snowflake = host.segment(), host.snowflake()
    ask = snowflake.poll_ask().payload
    mine = plain(segment.poll_ask().payload)
    given = plain(host.verbs["acquire"](host.instance.store, ask).payload)
    window = Variant("window", {**given, "request": mine["request"]})
    with refuses("grant-invalid"):
        segment.handle_grant(window, None)
    assert snowflake.handle_grant(Variant("window", given), None).tag == "applied"


@pytest.mark.parametrize("word", [0, 5, 2**64 - 1])
def test_randomness_that_stands_still_leases_nothing(host: Host, word: int) -> None:
    generators = [host.segment(), host.snowflake()]
    host.draw = lambda: word
    generators += [host.segment(), host.snowflake()]
    for generator in generators:
        for ask in (generator.refill, generator.poll_ask):
            with refuses("request-invalid"):
                ask()
        assert generator.stats()["asks"] == 0


def test_randomness_that_repeats_itself_is_noticed_at_the_second_ask(host: Host) -> None:
    generator = host.snowflake()
    words = itertools.cycle([5, 6])
    host.draw = lambda: next(words)
    ids = draw(host, generator, 100)
    host.passes(3_000)
    for ask in (generator.refill, generator.poll_ask):
        with refuses("request-invalid"):
            ask()
    assert generator.stats()["asks"] == 1
    host.draw = Host().draw
    assert generator.refill() is True
    assert duplicates(ids + draw(host, generator, 100)) == 0


def test_a_host_that_comes_back_while_it_is_asked(host: Host) -> None:
    generator = host.snowflake()
    ids = draw(host, generator, 100)
    right, came_back = host.verbs["renew"], []

    def back(context: Any, ask: Any) -> Any:
        came_back.append(ask)
        ids.extend(generator.fill(50))
        ids.append(generator.next())
        assert generator.refill() is False, "one ask is out at a time"
        assert generator.stats()["asks"] == 2
        return right(context, ask)

    host.verbs["renew"] = back
    host.passes(3_000)
    assert generator.refill() is True
    ids += draw(host, generator, 2_000)
    assert len(came_back) == 1 and duplicates(ids) == 0


def test_a_host_that_closes_while_it_is_asked_gives_the_window_back(host: Host) -> None:
    generator = host.snowflake()
    right, released = host.verbs["acquire"], []
    give_back = host.verbs["give-back"]

    def back(context: Any, ask: Any) -> Any:
        generator.close()
        return right(context, ask)

    def released_too(context: Any, release: Any) -> Any:
        released.append(plain(release))
        return give_back(context, release)

    host.verbs |= {"acquire": back, "give-back": released_too}
    assert generator.refill() is True
    assert [release["worker"] for release in released] == [0]
    with refuses("closed"):
        generator.next()


@pytest.mark.parametrize("n", [2**32 - 1, 10**9, 2**20 + 1])
def test_counts_that_one_call_does_not_give(host: Host, n: int) -> None:
    # Only one case has more at hand than one call gives: reading a million IDs takes seconds.
    ahead_ms = None if n == 2**20 + 1 else 20
    for generator in (host.segment(), host.snowflake(max_ahead_ms=ahead_ms)):
        ids = draw(host, generator, 10)
        for verb in (generator.fill, generator.ready):
            with refuses("count-invalid"):
                verb(n)
        some = generator.fill_available(n)
        assert 100 < len(some) <= 2**20 and duplicates(ids + some) == 0
        assert generator.fill(0) == []
        assert generator.most() <= 2**20
