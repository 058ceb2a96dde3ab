"""The hosts against the real store, over loopback."""

from __future__ import annotations

import os
import socket
import threading
import time

import pytest

import leafid
from leafid import HttpStore, Segment, Snowflake
from support.load import held
from support.waiting import PATIENCE, end_all, failing, first_when_made, run_all, start_all, until


@pytest.mark.parametrize("port", [":99999", ":abc", ":-1", ":", ":0", ":+80"])
def test_a_wrong_port_is_refused_and_not_taken_for_none(port: str) -> None:
    for host in ("127.0.0.1", "[::1]", "user:word@localhost"):
        with pytest.raises(leafid.RequestInvalidError, match="1 to 65535|write a URL"):
            HttpStore(f"http://{host}{port}")
    for good in ("http://127.0.0.1", "http://[::1]", "http://[::1]:8750", "http://u:w@h:1/path"):
        assert HttpStore(good).url == good


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


def test_a_step_above_the_cap_is_cut_to_it(server) -> None:
    server.create_tag("orders", step=10, max_step=50)
    orders = Segment("orders", server.url, step=1_000_000)
    orders.next()
    assert orders.stats().step <= 50


def test_a_closed_window_is_free_at_once(server) -> None:
    workers = set()
    for _ in range(20):
        # Of ten minutes, which nobody waits for here.
        with Snowflake(store=server.url, length=600) as ids:
            workers.add(leafid.decode(ids.next()).worker)
            assert held(server) >= 1, "the control"
    assert workers and until(lambda: held(server) == 0)


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


def test_callers_wait_out_an_outage_and_go_on_soon_after_it(server) -> None:
    server.create_tag("orders", step=10, max_step=10)
    # The pause is 0.96 s at most while dry, and grows to ten while IDs are at hand; the rest is for
    # a busy machine, and where that is not enough, there is another outage.
    took = [outage(server)]
    while took[-1] >= 8 and len(took) < 4:
        took.append(outage(server))
    print(f"the first ID came {took} s after the store")
    assert took[-1] < 8


def outage(server) -> float:
    """How many seconds after the store the first ID comes."""
    orders = Segment("orders", server.url, timeout=PATIENCE)
    orders.next()
    server.kill()
    drawn: list[int] = []

    def draw() -> None:
        drawn.extend(orders.next() for _ in range(100))

    waiting = start_all([threading.Thread(target=draw)])
    assert until(lambda: orders.stats().failures >= 5)
    dry = len(drawn)
    server.start()
    back = time.monotonic()
    assert until(lambda: len(drawn) > dry)
    took = time.monotonic() - back
    end_all(waiting)
    assert len(set(drawn)) == 100 and drawn == sorted(drawn)
    orders.close()
    return took


def test_killed_and_restarted_again_and_again(server) -> None:
    server.create_tag("orders", step=20, max_step=20)
    orders = Segment("orders", server.url, timeout=30)
    ids = Snowflake(store=server.url, timeout=30)
    drawn, stamped = [], []
    for _ in range(5):
        drawn += [orders.next() for _ in range(100)]
        stamped += [ids.next() for _ in range(100)]
        server.kill()
        server.start()
    for seen in (drawn, stamped):
        assert len(seen) == 500 and seen == sorted(set(seen))
    assert orders.stats().failures + ids.stats().failures > 0 or orders.stats().grants > 20


def test_several_processes_worth_of_generators(server) -> None:
    server.create_tag("orders", step=10, max_step=40)
    parts: list[list[int]] = []

    def draw() -> None:
        orders, ids = Segment("orders", server.url), Snowflake(store=server.url)
        parts.append([orders.next() for _ in range(500)])
        parts.append([ids.next() for _ in range(500)])

    run_all(threading.Thread(target=draw) for _ in range(6))
    drawn = [id for part in parts for id in part]
    assert len(drawn) == 6_000 and len(set(drawn)) == 6_000


def test_an_http_store_is_an_object_with_the_methods(server) -> None:
    server.create_tag("orders")
    asked = []

    class Watched:
        def __init__(self, store):
            self.store = store

        def lease_segment(self, ask):
            asked.append(ask)
            return self.store.lease_segment(ask)

    assert Segment("orders", Watched(HttpStore(server.url))).next() == 1
    assert asked[0]["tag"] == "orders" and len(asked[0]["request"]) == 32
    with pytest.raises(leafid.TagUnknownError):
        HttpStore(server.url).lease_segment({**asked[0], "tag": "other"})
