"""A store over SQL that servers with a journal use, too: each of them notes what this process wrote before it is
answered, so that no restored store grants it again."""

import platform
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import leafid
from leafid import SqliteStore
from support.server import FILE, Server
from support.waiting import until

# How long everybody leases at once, in s.
TOGETHER_S = 2.0


@pytest.fixture
def store(place) -> Any:
    store = place.open(create=True)
    store.create_tag("orders", step=10, max_step=10)
    return store


@pytest.fixture
def beside(store, place, tmp_path) -> Iterator[Server]:
    """A server of the same store, with a journal."""
    with Server(tmp_path, place.url, journal=tmp_path / "journal") as server:
        # Its first answer: from now on it is among the store's servers.
        server.tag("orders")
        yield server


def leased(store: Any, **ask: Any) -> tuple[int, int]:
    grant = store.lease_segment({"tag": "orders", "request": "01" * 16, **ask})
    return int(grant["start"]), int(grant["end"])


def over_http(server: Server) -> tuple[int, int]:
    status, grant = server.call("POST", "/v1/segments/orders/lease", {"request": "02" * 16})
    if grant.get("code") == "STORE_UNAVAILABLE":
        raise leafid.StoreUnavailableError(grant["detail"])
    assert status == 200, grant
    return int(grant["start"]), int(grant["end"])


def records(server: Server) -> list[str]:
    """What is known of the store's servers, where that is a file."""
    with sqlite3.connect(server.store.removeprefix("sqlite:")) as file:
        return [record for (record,) in file.execute("SELECT record FROM servers")]


def test_hosts_and_a_server_lease_at_once(beside, store) -> None:
    end = time.monotonic() + TOGETHER_S
    seen: dict[str, list[tuple[int, int]]] = {name: [] for name in ("one", "two", "server")}

    def lease(name: str, once: Callable[[], tuple[int, int]]) -> None:
        while time.monotonic() < end or not seen[name]:
            # On a busy machine the others may be too slow.
            with suppress(leafid.OverloadedError, leafid.StoreUnavailableError):
                seen[name].append(once())

    asks = {"one": lambda: leased(store), "two": lambda: leased(store), "server": lambda: over_http(beside)}
    threads = [threading.Thread(target=lease, args=each) for each in asks.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(seen.values()), seen
    ranges = sorted(sum(seen.values(), []))
    assert all(before[1] <= after[0] for before, after in zip(ranges, ranges[1:], strict=False)), ranges


def test_a_window_is_noted_before_it_is_answered(beside, store) -> None:
    ask = {"namespace": "default", "request": "03" * 16, "owner": "me", "sticky": False, "strict": False}
    window = store.acquire(ask)
    again = store.acquire(ask)
    assert [again[field] for field in ("worker", "start", "end")] == [window[field] for field in ("worker", "start", "end")]
    renew = {"namespace": "default", "request": "04" * 16, "key": "03" * 16, "store": store.id}
    renewed = store.renew({**renew, "worker": window["worker"], "have_until": int(window["end"])})
    assert renewed["end"] >= window["end"]


def test_a_host_waits_for_a_server_that_was_killed_and_not_for_one_that_stopped(beside, store) -> None:
    before = leased(store)
    beside.kill()
    for refused in (lambda: leased(store), lambda: store.set_tag("orders", step=5)):
        with pytest.raises(leafid.StoreUnavailableError, match=f"have not noted the request: {platform.node()} .*leafid repair"):
            refused()
    beside.start()
    after = leased(store)
    assert after[0] >= before[1]
    beside.stop()
    # It would be refused if it waited.
    assert leased(store)[0] >= after[1]


def test_a_proof_that_the_store_lost_grants_stops_the_servers_too(beside, store) -> None:
    # Enough that the server has numbers in hand.
    for _ in range(50):
        over_http(beside)
    with pytest.raises(leafid.StoreWentBackError):
        leased(store, have_until=10**9)
    status, said = beside.call("POST", "/v1/segments/orders/lease", {"request": "02" * 16})
    assert said.get("code") == "STORE_REFUSED", (status, said)
    store.advance_tag("orders", 10**9)
    assert over_http(beside)[0] >= 10**9


def test_a_server_without_a_journal_heeds_what_a_host_changes(tmp_path) -> None:
    store = SqliteStore(tmp_path / FILE, create=True)
    store.create_tag("orders", step=10, max_step=10)
    with Server(tmp_path) as server:
        # More than one with a journal would take from its row one by one.
        for _ in range(100):
            over_http(server)
        store.advance_tag("orders", 10**9)
        assert over_http(server)[0] == 10**9
        store.delete_tag("orders")
        assert server.call("POST", "/v1/segments/orders/lease", {"request": "02" * 16})[0] == 404


def test_a_restored_store_grants_nothing_again(tmp_path) -> None:
    path = tmp_path / FILE
    store = SqliteStore(path, create=True)
    store.create_tag("orders", step=10, max_step=10)
    with Server(tmp_path, journal=tmp_path / "journal") as server:
        server.tag("orders")
        leased(store)
        saved = tmp_path / "saved.db"
        with sqlite3.connect(path) as file:
            file.execute("VACUUM INTO ?", [str(saved)])
        granted = leased(store)
        assert until(lambda: not any(record.startswith("guest") for record in records(server))), records(server)
        server.kill()
        store.close()
        restore(saved, path)
        server.start()
        assert leased(store)[0] >= granted[1]
        assert over_http(server)[0] >= granted[1]


def restore(saved: Path, path: Path) -> None:
    """Puts a backup's content into the file, which stays the same one."""
    with sqlite3.connect(saved) as source, sqlite3.connect(path) as target:
        source.backup(target)
