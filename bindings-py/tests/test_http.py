"""The hosts against the real store, over loopback: owners that keep their worker number among them."""

import os
import socket

import pytest

import leafid
from leafid import Segment, Snowflake
from support.waiting import PATIENCE, first_when_made, refused_at_once


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
