"""`SqlStore`: its arguments, refusals, and the life of its connection."""

import sqlite3
import sys
import threading
from typing import Any

import pytest
import sqlalchemy

import leafid
from leafid import SqlStore
from support.carrying import before_each
from support.waiting import run_all, until

TAG = {"tag": "orders", "request": "01" * 16}
ACQUIRE = {"namespace": "default", "request": "02" * 16, "owner": "me", "length_ms": 10_000}


@pytest.fixture
def name(database) -> str:
    return database.make()


@pytest.fixture
def made(database, name) -> SqlStore:
    store = SqlStore(database.factory(name), create=True)
    store.create_tag("orders", step=10, max_step=100)
    return store


def test_generators_of_one_url_share_a_connection(database, name) -> None:
    url = database.url(name)
    with leafid.Segment("orders", store=url, create=True) as orders:
        assert orders.take(3) == [1, 2, 3]
    with leafid.Segment("bills", store=url, create=True) as bills:
        assert bills.next() == 1
        # A database may list an ended session for a moment.
        assert until(lambda: len(database.sessions(name)) == 1)


def test_the_same_by_sqlalchemy(database, name) -> None:
    text = database.sqlalchemy(name)
    engine = sqlalchemy.create_engine(text, pool_size=1, max_overflow=0, pool_timeout=0.1)
    # The pool's only place is in use; a store's connection does not come from the pool.
    with engine.connect():
        stores = [SqlStore(engine, create=True), SqlStore(sqlalchemy.make_url(text)), SqlStore(text)]
        stores[0].create_tag("orders", step=10)
        assert [store.lease_segment(TAG)["start"] for store in stores] == [1, 11, 21]
    assert len({store.id for store in stores}) == 1
    with engine.connect() as connection:
        assert connection.scalar(sqlalchemy.text("SELECT 1")) == 1
    engine.dispose()


def test_many_make_one_store(database, name) -> None:
    ids: list[str] = []

    def make() -> None:
        ids.append(SqlStore(database.factory(name), create=True).id)

    run_all(threading.Thread(target=make) for _ in range(6))
    assert len(ids) == 6 and len(set(ids)) == 1


def test_a_connection_inside_a_transaction_is_refused(database, name, made) -> None:
    def begun():
        connection = database.connect(name)
        connection.cursor().execute("SELECT 1" if database.name == "postgres" else "BEGIN")
        return connection

    with pytest.raises(leafid.StoreRefusedError, match="inside a transaction"):
        SqlStore(begun).id
    # A function's connection that other code shares, and begins a transaction in.
    shared = database.connect(name)
    store = SqlStore(lambda: shared)
    assert store.lease_segment(TAG)["start"] == 1
    shared.cursor().execute("BEGIN")
    with pytest.raises(leafid.StoreRefusedError, match="inside a transaction"):
        store.lease_segment(TAG)
    shared.cursor().execute("ROLLBACK")
    assert store.lease_segment(TAG)["start"] == 11


def test_what_makes_no_connections(database, name) -> None:
    for given in (database.connect(name), 5, None, lambda: "ids.db"):
        with pytest.raises(leafid.RequestInvalidError, match="`connect`"):
            SqlStore(given).id


@pytest.mark.engine
def test_a_function_that_raises() -> None:
    def connect():
        raise ZeroDivisionError("the tunnel is closed")

    with pytest.raises(leafid.StoreUnavailableError, match="the tunnel is closed") as said:
        SqlStore(connect).id
    assert isinstance(said.value.__cause__, ZeroDivisionError)


def test_what_has_no_transactions_is_refused(mariadb) -> None:
    name = mariadb.make()
    assert SqlStore(mariadb.url(name), create=True).id
    mariadb.run(name, "ALTER TABLE tags ENGINE = MyISAM")
    with pytest.raises(leafid.StoreRefusedError, match="`tags` in MyISAM"):
        SqlStore(mariadb.factory(name), allow_unsafe_settings=True).id


def test_tables_of_another_version_meanwhile(database, name, made) -> None:
    database.run(name, f"UPDATE {database.table('meta')} SET version = 0")
    for act in (lambda: None, made.close):
        act()
        with pytest.raises(leafid.SchemaMismatchError, match="version 0, .* use the version of leafid"):
            made.lease_segment(TAG)


def test_another_store_behind_the_name(database, name, made) -> None:
    made.close()
    database.make_again(name)
    with pytest.raises(leafid.StoreChangedError, match="is store none now"):
        made.lease_segment(TAG)
    other = SqlStore(database.factory(name), create=True)
    with pytest.raises(leafid.StoreChangedError, match=f"is store {other.id} now"):
        made.lease_segment(TAG)


def test_a_lost_connection_is_made_again(database, name, made) -> None:
    given = []

    def connect() -> Any:
        given.append(database.connect(name))
        return given[-1]

    store = SqlStore(connect)
    assert store.lease_segment(TAG)["start"] == 1
    # The server ends the session; further below, the connection is closed.
    for session in database.sessions(name):
        database.end(session)
    assert until(lambda: not database.sessions(name))
    assert store.lease_segment(TAG)["start"] == 11
    given[-1].close()
    assert store.acquire(ACQUIRE)["worker"] == 0
    assert len(given) == 3


def test_a_row_that_somebody_keeps_locked(database, name, made) -> None:
    tag = database.table("tags")
    other = database.connect(name)
    other.cursor().execute("BEGIN")
    other.cursor().execute(f"SELECT 1 FROM {tag} WHERE tag = 'orders' FOR UPDATE")
    try:
        with pytest.raises(leafid.StoreUnavailableError, match="(?i)lock"):
            made.lease_segment(TAG)
    finally:
        other.close()
    assert made.lease_segment(TAG)["start"] == 1


def test_who_lost_a_race_waits_in_line(database, name, made) -> None:
    """Otherwise the slowest of many would lose again and again."""
    other, writes = SqlStore(database.factory(name)), []
    row = f"SELECT 1 FROM {database.table('tags')} WHERE tag = 'orders' FOR UPDATE NOWAIT"

    def raced(text, params):
        if "was_max_id" not in params:
            return
        writes.append(text)
        if len(writes) == 1:
            # Another store is faster: it reads and writes in between, with the second call of this function.
            assert other.lease_segment(TAG)["start"] == 1
        if len(writes) == 3:
            with pytest.raises(database.driver.Error):
                database.run(name, row)

    with before_each(raced):
        assert made.lease_segment(TAG)["start"] == 11
    assert len(writes) == 3


def test_it_writes_down_its_time(database, name, made) -> None:
    made.lease_segment(TAG)
    ((beat,),) = database.run(name, f"SELECT beat_ms FROM {database.table('meta')}")
    assert beat > 1_700_000_000_000


def test_an_engine_of_sqlite_is_opened_as_a_file(tmp_path) -> None:
    path = tmp_path / "ids.db"
    store = leafid.SqliteStore(path, create=True)
    store.create_tag("orders", step=10)
    engine = SqlStore(sqlalchemy.create_engine(f"sqlite:///{path}"))
    assert engine.lease_segment(TAG)["start"] == 1 and repr(engine) == f"SqlStore('sqlite:{path}')"
    assert SqlStore(f"sqlite:{path}").id == SqlStore(f"sqlite+pysqlite:///{path}").id == store.id
    with pytest.raises(leafid.RequestInvalidError, match="in memory"):
        SqlStore(sqlalchemy.create_engine("sqlite://"))
    with pytest.raises(leafid.RequestInvalidError, match="`sqlite3` is not one that is known here: .* `sqlite:PATH`"):
        SqlStore(lambda: sqlite3.connect(path)).id


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
