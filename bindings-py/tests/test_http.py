"""The hosts against the real store, over loopback: owners that keep their worker number among them."""

from __future__ import annotations

import os
import socket
import time

import pytest

import leafid
from leafid import Segment, Snowflake
from support.waiting import PATIENCE, failing, first_when_made, until


def test_a_store_that_is_down_when_a_generator_is_made(server) -> None:
    """Nothing is asked for before the first ID; that says what is wrong, and later ones come."""
    server.create_tag("orders")
    server.stop()
    for ids in (Segment("orders", server.url), Snowflake(store=server.url)):
        late = failing(ids)
        assert late.code == "TIMED_OUT" and late.__cause__.code == "STORE_UNAVAILABLE"
        server.start()
        assert ids.next(timeout=30) > 0, "it is usable afterwards"
        server.stop()


def test_https_to_a_server_without_tls_is_said_at_once(server) -> None:
    server.create_tag("orders")
    url = server.url.replace("http://", "https://")
    for ids in (Segment("orders", url, timeout=60), Snowflake(store=url, timeout=60)):
        begun = time.monotonic()
        with pytest.raises(leafid.RequestInvalidError) as refused:
            ids.next()
        assert time.monotonic() - begun < 30, "raised at once, not when the minute is over"
        said = str(refused.value)
        assert said.startswith(f"`{url}/v1/") and said.endswith("without TLS: use `http://`")


def test_an_unknown_tag_names_the_command_that_creates_it(server) -> None:
    orders = Segment("orders", server.url, timeout=60)
    begun = time.monotonic()
    with pytest.raises(leafid.TagUnknownError, match="leafid tag create orders"):
        orders.next()
    assert time.monotonic() - begun < 30, "raised at once, not when the minute is over"
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


def test_outages_are_survived_on_what_is_in_hand(server) -> None:
    server.create_tag("orders", step=1_000, max_step=1_000)
    orders = Segment("orders", server.url, timeout=PATIENCE)
    drawn = [orders.next()]
    server.kill()
    drawn += [orders.next() for _ in range(900)]
    assert drawn == list(range(1, 902))
    server.start()
    drawn += [orders.next() for _ in range(2_000)]
    assert drawn == sorted(set(drawn))
    assert drawn[-1] <= 6_000, "no step is lost beyond what was in hand"


def worker(ids: Snowflake) -> int:
    return leafid.decode(ids.next()).worker


def test_a_restart_has_the_number_of_before(server) -> None:
    def lived(owner: str, sticky: bool) -> int:
        with Snowflake(store=server.url, owner=owner, sticky=sticky) as ids:
            return worker(ids)

    before = lived("pod-0", sticky=True)
    # Others come and go in between, and take what rested longest.
    others = [lived(owner, sticky=False) for owner in ("batch", "pod-1", "pod-1", "pod-1")]
    assert len({before, *others}) == 5
    # A holder's clock may be ahead of the store's by some ms: for so long its number is not free after its end, and
    # the next one borrows.
    assert until(lambda: lived("pod-0", sticky=True) == before)


def test_strict_waits_for_its_own(server) -> None:
    how = {"owner": "pod-0", "sticky": True, "strict": True}
    with Snowflake(store=server.url, **how) as first:
        own = worker(first)
        second = Snowflake(store=server.url, **how)
        assert isinstance(failing(second).__cause__, leafid.WorkersExhaustedError)
        # It was told when to come again, and would take the number then.
        second.close()
    # One that asks now has it at once.
    with Snowflake(store=server.url, **how) as third:
        assert worker(third) == own
