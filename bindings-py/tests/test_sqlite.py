"""`sqlite:PATH`: a file that the processes of one machine and a server share."""

from __future__ import annotations

import concurrent.futures
import os
import sqlite3
from pathlib import Path

import pytest

import leafid
from leafid import Segment, Snowflake, SqliteStore
from support.run import code
from support.server import FILE
from support.waiting import until


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "ids.db"


def test_a_relative_path_is_of_the_folder_where_it_was_given(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    orders = Segment("orders", "sqlite:some ids?#.db", create=True)
    monkeypatch.chdir("/")
    assert orders.next() == 1 and (tmp_path / "some ids?#.db").exists()


def test_the_words_of_sqlite_are_the_cause(path) -> None:
    path.write_bytes(b"a letter to somebody, long enough for a header of SQLite " * 4)
    with pytest.raises(leafid.SchemaMismatchError) as refused:
        SqliteStore(path)
    assert isinstance(refused.value.__cause__, sqlite3.DatabaseError)


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be removed elsewhere")
@pytest.mark.parametrize("end", ["", "-wal"])
def test_a_file_that_goes_while_it_is_open(path, end) -> None:
    store = SqliteStore(path, create=True)
    store.create_tag("orders", step=1, max_step=1)
    ask = {"tag": "orders", "request": "01" * 16}
    assert store.lease_segment(ask)["start"] == 1
    moved = Path(f"{path}{end}-moved")
    os.rename(f"{path}{end}", moved)
    with pytest.raises(leafid.StoreRefusedError, match="was removed or moved while it is open"):
        store.lease_segment(ask)
    os.rename(moved, f"{path}{end}")
    with pytest.raises(leafid.StoreRefusedError):
        store.lease_segment(ask)


def test_a_grant_is_durable(path) -> None:
    store = SqliteStore(path, create=True)
    store.create_tag("orders")
    connection = store._file.connection
    pragmas = ("journal_mode", "synchronous", "fullfsync", "checkpoint_fullfsync")
    settings = [connection.execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in pragmas]
    assert settings == ["wal", 2, 1, 1]


def test_it_serves_while_another_writes(path, monkeypatch) -> None:
    monkeypatch.setattr("leafid._sql.file.sqlite.PATIENCE", 0.1)
    store = SqliteStore(path, create=True)
    store.create_tag("orders", step=5, max_step=5)
    ids = Segment("orders", store, timeout=30)
    assert ids.next() == 1
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    causes: list[BaseException | None] = []

    def refused() -> bool:
        # Two ranges may be at hand; then SQLite waits for the lock, and the ask fails.
        try:
            ids.take(5, timeout=0.1)
        except leafid.TimedOutError as late:
            causes.append(late.__cause__)
        return bool(causes) and isinstance(causes[-1], leafid.StoreUnavailableError)

    assert until(refused), causes
    assert "locked" in str(causes[-1])
    other.execute("ROLLBACK")
    assert ids.take(5)


def test_many_make_one_store(path) -> None:
    program = """
        import sys
        import leafid
        for at in range(20):
            print(leafid.SqliteStore(f"{sys.argv[1]}-{at}", create=True).id)
    """
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        said = list(pool.map(lambda _: code(program, path), range(6)))
    # Each tells of twenty stores, which all of them make at once.
    assert all(len(set(ids)) == 1 for ids in zip(*(each.split() for each in said), strict=True))


def test_a_server_and_processes_share_a_file(server) -> None:
    path = server.folder / FILE
    server.create_tag("orders", step=5, max_step=5)
    beside, behind = Segment("orders", f"sqlite:{path}"), Segment("orders", server.url)
    drawn = [id for _ in range(20) for id in (beside.take(5) + behind.take(5))]
    assert len(set(drawn)) == 200
    stamps = [Snowflake(store=where) for where in (f"sqlite:{path}", server.url) * 3]
    assert len({leafid.decode(ids.next()).worker for ids in stamps}) == 6
    SqliteStore(path).create_tag("invoices", start=1_000, until=1_010)
    assert server.tag("invoices")["max_id"] == 1_000
    for ids in (beside, behind, *stamps):
        ids.close()
