"""Other code's changes to a `SqlStore`'s session, and to the server's settings."""

import contextlib
import threading
from functools import partial
from typing import Any

import pytest
import sqlalchemy

import leafid
from leafid import SqlStore
from leafid._sql import tables
from leafid._sql.turn import Run
from support.carrying import carried
from support.child import in_child
from support.databases import Mariadb
from support.waiting import PATIENCE, end_all, start_all, until

TAG = {"tag": "orders", "request": "01" * 16}
ACQUIRE = {"namespace": "default", "request": "02" * 16, "owner": "me", "length_ms": 10_000}


@pytest.fixture
def name(database) -> str:
    return made(database)


def made(database) -> str:
    name = database.make()
    SqlStore(database.url(name), create=True).create_tag("orders", step=10, max_step=100)
    return name


def shadow(connection: Any, database, *tables: str) -> None:
    """Creates temporary tables as an application might, with our tables' rows."""
    for table in tables:
        connection.cursor().execute(f"CREATE TEMPORARY TABLE {table} AS SELECT * FROM {database.table(table)}")
    connection.commit()


def position(database, name: str) -> int:
    return database.run(name, f"SELECT max_id FROM {database.table('tags')}")[0][0]


def test_a_pool_whose_connections_have_temporary_tables(database, name) -> None:
    engine = sqlalchemy.create_engine(database.sqlalchemy(name), pool_size=1)
    with engine.connect() as connection:
        shadow(connection.connection, database, "tags", "workers", "namespaces", "meta")
    store = SqlStore(engine)
    assert [store.lease_segment(TAG)["start"] for _ in range(2)] == [1, 11]
    assert store.acquire(ACQUIRE)["worker"] == 0
    assert position(database, name) == 21
    engine.dispose()


@pytest.mark.parametrize("table", ["tags", "namespaces", "workers", "meta"])
def test_a_shared_connection_that_gets_temporary_tables(database, name, table) -> None:
    shared = database.connect(name)
    store = SqlStore(lambda: shared)
    assert store.lease_segment(TAG)["start"] == 1
    first = store.acquire(ACQUIRE)["worker"]
    shadow(shared, database, table)
    other = {**ACQUIRE, "owner": "other", "request": "03" * 16}
    if isinstance(database, Mariadb):
        with pytest.raises(leafid.StoreRefusedError, match=f"temporary table `{table}`"):
            # The last call reads all tables.
            store.lease_segment(TAG), store.acquire(other), store.create_tag("bills")
        shared.cursor().execute(f"DROP TEMPORARY TABLE {table}")
    start = store.lease_segment(TAG)["start"]
    worker = store.acquire(other)["worker"]
    assert (start, worker) > (1, first)
    # The grants are in the store's real tables.
    again, third = SqlStore(database.url(name)), {**ACQUIRE, "owner": "third", "request": "04" * 16}
    assert again.lease_segment(TAG)["start"] == start + 10 == position(database, name) - 10
    assert again.acquire(third)["worker"] > worker


def test_a_setting_that_is_changed_while_a_store_is_connected(database, name) -> None:
    store, other = SqlStore(database.url(name)), SqlStore(database.url(name), allow_unsafe_settings=True)
    assert (store.lease_segment(TAG)["start"], other.lease_segment(TAG)["start"]) == (1, 11)
    if isinstance(database, Mariadb):
        said = "innodb_flush_log_at_trx_commit = 2"
        put, back = [f"SET GLOBAL {said}"], ["SET GLOBAL innodb_flush_log_at_trx_commit = 1"]
    else:
        said, reload = "synchronous_commit = off", "SELECT pg_reload_conf()"
        put = [f"ALTER SYSTEM SET {said}", reload]
        back = ["ALTER SYSTEM RESET synchronous_commit", reload]
    database.run(database.common, *put)
    try:
        with pytest.raises(leafid.StoreRefusedError, match=said):
            # The server takes a moment to read its settings again.
            assert not until(lambda: store.lease_segment(TAG) is None)
        with pytest.raises(leafid.StoreRefusedError, match=said):
            SqlStore(database.url(name)).id
        other.lease_segment(TAG)
        if not isinstance(database, Mariadb):
            # Even where the setting is accepted, each transaction is durable.
            assert inside(other, "SELECT current_setting('synchronous_commit') AS value") == "on"
    finally:
        database.run(database.common, *back)


def inside(store: SqlStore, text: str) -> Any:
    def ask(run: Run) -> Any:
        return run(text, {})[0][0]["value"]

    with carried(ask) as given:
        store.tags()
    return given[0]


def test_what_a_shared_session_is_set_to(database, name) -> None:
    shared = database.connect(name)
    store = SqlStore(lambda: shared)
    assert store.lease_segment(TAG)["start"] == 1
    settings = [
        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY",
        "SET search_path = pg_temp, public",
        "SET synchronous_commit = local",
    ]
    if isinstance(database, Mariadb):
        settings = [
            "SET SESSION TRANSACTION READ ONLY",
            "SET SESSION completion_type = 'CHAIN'",
            "SET SESSION sql_select_limit = 0",
            "SET SESSION autocommit = 0",
        ]
    for setting in settings:
        shared.cursor().execute(setting)
    assert [store.lease_segment(TAG)["start"] for _ in range(3)] == [11, 21, 31]
    assert position(database, name) == 41


def test_rows_that_a_driver_gives_otherwise(postgres) -> None:
    import psycopg
    from psycopg.types.string import TextLoader

    name = made(postgres)

    def dictionaries() -> Any:
        rows = psycopg.rows.dict_row
        return psycopg.connect(postgres.url(name), row_factory=rows, cursor_factory=psycopg.RawCursor)

    assert SqlStore(dictionaries).lease_segment(TAG)["start"] == 1

    def texts() -> Any:
        connection = psycopg.connect(postgres.url(name))
        connection.adapters.register_loader("int8", TextLoader)
        return connection

    with pytest.raises(leafid.StoreRefusedError, match="converters of its own"):
        SqlStore(texts).lease_segment(TAG)


def test_texts_that_pymysql_gives_as_bytes(mariadb) -> None:
    store = SqlStore(partial(mariadb.connect, made(mariadb), use_unicode=False))
    assert store.lease_segment(TAG)["start"] == 1


def test_a_fork_beside_a_transaction_that_does_not_end(database, name, monkeypatch) -> None:
    monkeypatch.setattr(tables, "PATIENCE", 0.02)
    store = SqlStore(database.url(name))
    assert store.lease_segment(TAG)["start"] == 1
    begun, over = threading.Event(), threading.Event()

    def hang() -> None:
        # A database ends a transaction that is idle for seconds.
        with contextlib.suppress(leafid.LeafidError):
            with carried(lambda run: begun.is_set() or begun.set() or over.wait(PATIENCE)):
                store.tags()

    hanging = start_all([threading.Thread(target=hang)])
    assert begun.wait(PATIENCE)
    try:
        assert in_child(lambda: store.lease_segment(TAG)["start"]) == "11"
    finally:
        over.set()
        end_all(hanging)
    assert store.lease_segment(TAG)["start"] == 21


def test_the_time_is_the_servers_whatever_a_session_says(mariadb) -> None:
    name = made(mariadb)
    first = SqlStore(mariadb.url(name)).acquire(ACQUIRE)["now_ms"]

    def connect() -> Any:
        connection = mariadb.connect(name)
        connection.cursor().execute("SET timestamp = UNIX_TIMESTAMP() + 20 * 86400")
        return connection

    asks = [{**ACQUIRE, "owner": owner, "request": owner * 16} for owner in ("03", "04")]
    ahead = SqlStore(connect).acquire(asks[0])["now_ms"]
    # The wrong time was not stored for other processes either.
    others = SqlStore(mariadb.url(name)).acquire(asks[1])["now_ms"]
    assert max(ahead, others) - first < 600_000
