"""`SqlStore`: how it is named, what it is refused, and what happens to its connection."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading

import pytest
import sqlalchemy

import leafid
from leafid import SqlStore
from leafid.__main__ import main
from leafid._sql.turn import Turn
from support.databases import Mariadb
from support.forked import wait
from support.places import BINARY
from support.waiting import run_all, until

TAG = {"tag": "orders", "request": "01" * 16}
ACQUIRE = {"namespace": "default", "request": "02" * 16, "owner": "me", "length_ms": 10_000}
FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


@pytest.fixture
def name(database) -> str:
    return database.make()


@pytest.fixture
def made(database, name) -> SqlStore:
    store = SqlStore(database.factory(name), create=True)
    store.create_tag("orders", step=10, max_step=100)
    return store


def sessions(database, name: str) -> list[int]:
    """The sessions that others have in a database."""
    text = f"SELECT pid FROM pg_stat_activity WHERE datname = '{name}'"
    if isinstance(database, Mariadb):
        text = f"SELECT id FROM information_schema.processlist WHERE db = '{name}'"
    return [int(row[0]) for row in database.run(database.common, text)]


def end(database, session: int) -> None:
    text = f"KILL {session}" if isinstance(database, Mariadb) else f"SELECT pg_terminate_backend({session})"
    database.run(database.common, text)


def table(database, name: str) -> str:
    return name if isinstance(database, Mariadb) else f"leafid.{name}"


def test_three_lines(database, name) -> None:
    url = database.url(name)
    with leafid.Segment("orders", store=url, create=True) as orders:
        assert orders.take(3) == [1, 2, 3]
    with leafid.Snowflake(store=url) as ids:
        assert leafid.decode(ids.next()).worker == 0
    # Another generator of this process has the same connection, whatever its tag.
    with leafid.Segment("bills", store=url, create=True) as bills:
        assert bills.next() == 1
        # A database may show one that has ended for a moment.
        assert until(lambda: len(sessions(database, name)) == 1)


def test_the_same_by_sqlalchemy(database, name) -> None:
    driver = "mysql+pymysql" if isinstance(database, Mariadb) else "postgresql+psycopg"
    text = f"{driver}://{database.url(name).partition('://')[2]}"
    engine = sqlalchemy.create_engine(text, pool_size=1, max_overflow=0)
    stores = [SqlStore(engine, create=True), SqlStore(sqlalchemy.make_url(text)), SqlStore(text)]
    stores[0].create_tag("orders", step=10)
    assert [store.lease_segment(TAG)["start"] for store in stores] == [1, 11, 21]
    assert len({store.id for store in stores}) == 1
    # The pool's only place is free, for the connection was taken out of it.
    with engine.connect() as connection:
        assert connection.scalar(sqlalchemy.text("SELECT 1")) == 1
    engine.dispose()


def test_what_is_not_there_is_not_made(database, name) -> None:
    with pytest.raises(leafid.StoreUnknownError, match="has no tables; .* python -m leafid init ") as said:
        SqlStore(database.url(name)).id
    assert f"leafid init --store {database.url(name)}" in str(said.value)
    with pytest.raises(leafid.StoreUnknownError, match="no tables"):
        SqlStore(database.url(name)).lease_segment(TAG)
    with leafid.Segment("orders", store=database.url(name)) as orders:
        with pytest.raises(leafid.StoreUnknownError, match="has no tables; to create"):
            orders.next()
    with pytest.raises(leafid.StoreUnknownError, match="CREATE DATABASE"):
        SqlStore(database.url("nowhere"), create=True).id
    store = SqlStore(database.factory(name), create=True)
    with pytest.raises(leafid.TagUnknownError, match="python -m leafid tag create orders --store"):
        store.lease_segment(TAG)
    assert SqlStore(database.url(name), create=True).id == store.id, "it is there"


def test_many_make_one_store(database, name) -> None:
    ids: list[str] = []

    def make() -> None:
        ids.append(SqlStore(database.factory(name), create=True).id)

    run_all(threading.Thread(target=make) for _ in range(6))
    assert len(ids) == 6 and len(set(ids)) == 1


def test_a_connection_inside_a_transaction_is_refused(database, name, made) -> None:
    def begun():
        connection = database.connect(name)
        connection.cursor().execute("SELECT 1" if database.name == "PostgreSQL" else "BEGIN")
        return connection

    with pytest.raises(leafid.StoreRefusedError, match="inside a transaction"):
        SqlStore(begun).id
    # One that a function gives to others, too, and they begin one.
    shared = database.connect(name)
    store = SqlStore(lambda: shared)
    assert store.lease_segment(TAG)["start"] == 1
    shared.cursor().execute("BEGIN")
    with pytest.raises(leafid.StoreRefusedError, match="inside a transaction"):
        store.lease_segment(TAG)
    shared.cursor().execute("ROLLBACK")
    assert store.lease_segment(TAG)["start"] == 11


@pytest.mark.parametrize("given", ["connection", "number", "nothing", "other"])
def test_what_makes_no_connections(database, name, given) -> None:
    give = {
        "connection": lambda: database.connect(name),
        "number": lambda: 5,
        "nothing": lambda: None,
        "other": lambda: lambda: "ids.db",
    }[given]()
    with pytest.raises(leafid.RequestInvalidError, match="`connect`"):
        SqlStore(give).id


def test_a_function_that_raises(name, database) -> None:
    class Away(Exception):
        pass

    def connect():
        raise Away("the tunnel is closed")

    with pytest.raises(leafid.StoreUnavailableError, match="the tunnel is closed") as said:
        SqlStore(connect).id
    assert isinstance(said.value.__cause__, Away)


def test_settings_that_lose_answered_leases_are_refused_by_name(database, name, made) -> None:
    url = database.url(name)
    if isinstance(database, Mariadb):
        setting, bad = "innodb_flush_log_at_trx_commit", "innodb_flush_log_at_trx_commit = 2"
        put, back = f"SET GLOBAL {setting} = 2", f"SET GLOBAL {setting} = 1"
    else:
        setting, bad = "synchronous_commit", "synchronous_commit = off"
        put, back = f"ALTER DATABASE {name} SET {setting} = off", f"ALTER DATABASE {name} RESET {setting}"
    database.run(database.common, put)
    try:
        with pytest.raises(leafid.StoreRefusedError, match=bad):
            SqlStore(url).id
        # A connection that is made later is looked at, too.
        made.close()
        with pytest.raises(leafid.StoreRefusedError, match=bad):
            made.lease_segment(TAG)
        assert SqlStore(url, allow_unsafe_settings=True).lease_segment(TAG)["start"] == 1
    finally:
        database.run(database.common, back)
    assert made.lease_segment(TAG)["start"] == 11


def test_what_has_no_transactions_is_refused(mariadb) -> None:
    name = mariadb.make()
    assert SqlStore(mariadb.url(name), create=True).id
    mariadb.run(name, "ALTER TABLE tags ENGINE = MyISAM")
    with pytest.raises(leafid.StoreRefusedError, match="`tags` in MyISAM"):
        SqlStore(mariadb.factory(name), allow_unsafe_settings=True).id


def test_tables_of_others(database, name) -> None:
    store = SqlStore(database.factory(name), create=True)
    assert store.id
    database.run(name, f"UPDATE {table(database, 'meta')} SET version = 1")
    with pytest.raises(leafid.SchemaMismatchError, match="version 1, .* leafid migrate --store"):
        SqlStore(database.url(name)).id
    store.close()
    with pytest.raises(leafid.SchemaMismatchError, match="version 1"):
        store.lease_segment(TAG)
    other = database.make()
    if isinstance(database, Mariadb):
        database.run(other, "CREATE TABLE tags (id INT)")
    else:
        database.run(other, "CREATE SCHEMA leafid", "CREATE TABLE leafid.tags (id INT)")
    with pytest.raises(leafid.SchemaMismatchError, match="its table `tags` is another program's"):
        SqlStore(database.url(other), create=True).id


def test_another_store_behind_the_name(database, name, made) -> None:
    made.close()
    if isinstance(database, Mariadb):
        database.run(database.common, f"DROP DATABASE {name}", f"CREATE DATABASE {name}")
    else:
        database.run(name, "DROP SCHEMA leafid CASCADE")
    with pytest.raises(leafid.StoreChangedError, match="is store none now"):
        made.lease_segment(TAG)
    other = SqlStore(database.factory(name), create=True)
    with pytest.raises(leafid.StoreChangedError, match=f"is store {other.id} now"):
        made.lease_segment(TAG)


def test_a_holders_proof_stops_its_tag_for_every_process(database, name, made) -> None:
    assert made.lease_segment(TAG)["start"] == 1
    with pytest.raises(leafid.StoreWentBackError):
        made.lease_segment({**TAG, "have_until": 101})
    other = SqlStore(database.factory(name))
    for store in (made, other):
        with pytest.raises(leafid.StoreRefusedError, match="stands at 11, .* up to 101: "):
            store.lease_segment(TAG)
    other.advance_tag("orders", 101)
    assert made.lease_segment(TAG)["start"] == 101


def test_a_lost_connection_is_made_again(database, name, made) -> None:
    assert made.lease_segment(TAG)["start"] == 1
    for session in sessions(database, name):
        end(database, session)
    assert until(lambda: not sessions(database, name))
    assert made.lease_segment(TAG)["start"] == 11
    assert made.acquire(ACQUIRE)["worker"] == 0


def test_a_row_that_somebody_keeps_locked(database, name, made) -> None:
    tag = table(database, "tags")
    other = database.connect(name)
    other.cursor().execute("BEGIN")
    other.cursor().execute(f"SELECT 1 FROM {tag} WHERE tag = 'orders' FOR UPDATE")
    try:
        with pytest.raises(leafid.StoreUnavailableError, match="(?i)lock"):
            made.lease_segment(TAG)
    finally:
        other.close()
    assert made.lease_segment(TAG)["start"] == 1


@FORKS
def test_a_fork_opens_its_own(database, name, made) -> None:
    assert made.lease_segment(TAG)["start"] == 1
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, f"{made.lease_segment(TAG)['start']} ".encode())
        finally:
            os._exit(0)
    assert not wait(pid)
    os.close(write)
    with os.fdopen(read, "rb") as said:
        child = int(said.read())
    starts = [child, made.lease_segment(TAG)["start"], made.lease_segment(TAG)["start"]]
    assert starts == [11, 21, 31]


def test_what_a_decision_was_made_on_has_to_hold(database, name, made, monkeypatch) -> None:
    """A fence raises the floor between reading and writing: nothing below it is granted."""
    window = made.acquire(ACQUIRE)
    renewal = {
        "namespace": "default", "request": "03" * 16, "store": made.id, "worker": window["worker"],
        "key": window["request"], "have_until": window["end"], "length_ms": 60_000,
    }  # fmt: skip
    find, floors = Turn.find, iter([window["end"] + 1_000_000])

    def fenced(turn, text, params):
        for floor in floors:
            database.run(name, f"UPDATE {table(database, 'namespaces')} SET floor = {floor}")
        find(turn, text, params)

    monkeypatch.setattr(Turn, "find", fenced)
    with pytest.raises(leafid.LeaseLostError):
        made.renew(renewal)


def test_who_lost_a_race_waits_in_line(database, name, made, monkeypatch) -> None:
    """Else the slowest of many would lose again and again."""
    other, write, writes = SqlStore(database.factory(name)), Turn.write, []
    row = f"SELECT 1 FROM {table(database, 'tags')} WHERE tag = 'orders' FOR UPDATE NOWAIT"

    def raced(turn, text, params):
        writes.append(text)
        if len(writes) == 1:
            # Faster: it reads and writes in between, by the second of these calls.
            assert other.lease_segment(TAG)["start"] == 1
        if len(writes) == 3:
            with pytest.raises(database.driver.Error):
                database.run(name, row)
        write(turn, text, params)

    monkeypatch.setattr(Turn, "write", raced)
    assert made.lease_segment(TAG)["start"] == 11
    assert len(writes) == 3


def test_it_writes_down_its_time(database, name, made) -> None:
    made.lease_segment(TAG)
    ((beat,),) = database.run(name, f"SELECT beat_ms FROM {table(database, 'meta')}")
    assert beat > 1_700_000_000_000


def test_workers_of_a_namespace(database, name) -> None:
    url = database.url(name)
    with leafid.Snowflake("pages", store=url, create=True, workers=(8, 12)) as pages:
        assert leafid.decode(pages.next()).worker == 8
    # This call has made the store, so `default` has the range as well.
    with leafid.Snowflake(store=url) as ids:
        assert leafid.decode(ids.next()).worker == 8
    leafid.Snowflake("pages", store=url, create=True, workers=(8, 12)).close()
    with pytest.raises(leafid.LayoutMismatchError, match="is 8..12, not 0..4; .* leafid namespace set pages"):
        leafid.Snowflake("pages", store=url, create=True, workers=(0, 4)).next()
    with leafid.Snowflake("other", store=url, create=True, workers=(0, 4)) as others:
        assert leafid.decode(others.next()).worker == 0


def test_what_is_declared_of_default_holds_or_is_refused(database, name) -> None:
    url = database.url(name)
    orders = leafid.Segment("orders", store=url, create=True)
    with leafid.Snowflake(store=url, create=True, layout="edge", workers=(100, 104)) as ids:
        assert leafid.decode(ids.next(), leafid.Layout.edge).worker == 100
    assert orders.next() == 1
    other = SqlStore(database.factory(name), create=True, workers=(0, 8))
    with pytest.raises(leafid.LayoutMismatchError, match="namespace `default` .* is 100..104, not 0..8"):
        leafid.Snowflake(store=other).next()
    with pytest.raises(leafid.TagExistsError, match="tag `orders` .* `step` is 1000, not 5"):
        other.create_tag("orders", step=5, if_missing=True)
    with pytest.raises(leafid.WorkerInvalidError, match="add `create=True`"):
        SqlStore(database.factory(name), workers=(0, 8))


def test_an_sqlite_connection_is_opened_as_a_file(tmp_path) -> None:
    path = tmp_path / "ids.db"
    leafid.SqliteStore(path, create=True).create_tag("orders", step=10)
    store = SqlStore(lambda: sqlite3.connect(path))
    assert store.lease_segment(TAG)["start"] == 1
    assert repr(store) == f"SqlStore('sqlite:{path}')"
    assert SqlStore(sqlalchemy.create_engine(f"sqlite:///{path}")).lease_segment(TAG)["start"] == 11
    assert SqlStore(f"sqlite:{path}").id == store.id
    with pytest.raises(leafid.RequestInvalidError, match="in memory"):
        SqlStore(lambda: sqlite3.connect(":memory:")).id


@pytest.mark.parametrize(("url", "drivers", "packages"), [
    ("postgres://u:s3cret@h/d", ("psycopg", "psycopg2"), r"pip install 'psycopg\[binary\]'"),
    ("mysql://u:s3cret@h/d", ("pymysql", "MySQLdb"), "pip install PyMySQL"),
    ("mysql+pymysql://u:s3cret@h/d", ("sqlalchemy",), "pip install sqlalchemy, or write `mysql://"),
])  # fmt: skip
def test_a_driver_that_is_missing(monkeypatch, url, drivers, packages) -> None:
    for driver in drivers:
        monkeypatch.setitem(sys.modules, driver, None)
    with pytest.raises(leafid.NotEnabledError, match=packages) as said:
        SqlStore(url).id
    assert "s3cret" not in str(said.value)


@pytest.mark.parametrize("url", [
    "postgres://u:s3cret@h:port/d", "postgres://:s3cret@h/d", "postgres://u:s3cret@h",
    "mysql://u:s3@cret@h/d", "mysql://u:s3cret@h/d?colour=s3cret", "mysql://u:s3cret@h",
    "mysql://u:s3cret@h/d?tags=tags", "postgres://u:s3cret@h/d?tags=leaf_alloc", "oracle://u:s3cret@h/d",
])  # fmt: skip
def test_a_url_that_cannot_be_used_is_not_repeated(url) -> None:
    with pytest.raises(leafid.RequestInvalidError) as said:
        SqlStore(url).id
    assert "cret" not in str(said.value)


@pytest.mark.engine
@pytest.mark.parametrize("scheme", ["postgres", "mysql"])
def test_nobody_is_there(scheme: str) -> None:
    with pytest.raises(leafid.StoreUnavailableError, match="127.0.0.1:1/d cannot be reached") as said:
        SqlStore(f"{scheme}://u:s3cret@127.0.0.1:1/d").id
    assert "s3cret" not in str(said.value)


def test_the_commands(database, name, capsys) -> None:
    url = database.url(name)
    assert main(["tag", "create", "orders", "--store", url]) == 1
    assert "STORE_UNKNOWN" in capsys.readouterr().err
    assert main(["init", "--store", url]) == 0
    assert SqlStore(url).id in capsys.readouterr().out
    assert main(["init", "--store", url]) == 1, "a store that is there is not made again"
    assert "STORE_REFUSED" in capsys.readouterr().err
    assert main(["tag", "create", "orders", "--from", "7", "--store", url]) == 0
    assert main(["next", "orders", "-n", "2", "--store", url]) == 0
    assert capsys.readouterr().out.endswith("7\n8\n")
    shown = subprocess.run(
        [BINARY, "tag", "list", "--store", url], capture_output=True, text=True, timeout=300
    )
    assert "orders" in shown.stdout, shown.stderr
