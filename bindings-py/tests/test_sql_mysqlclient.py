"""mysqlclient, the driver in C, beside PyMySQL, which the other tests have. It has no wheel, so not every
machine has it."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import pytest

import leafid
from leafid import Segment, Snowflake, SqlStore
from leafid.testing import conform
from support.missing import not_run


@pytest.fixture
def driver(mariadb) -> Any:
    try:
        return importlib.import_module("MySQLdb")
    except ImportError:
        not_run("mysqlclient", "MySQLdb", "pkg-config libmariadb-dev python3-dev")


@pytest.fixture
def name(mariadb) -> str:
    return mariadb.make()


@pytest.fixture
def connect(driver, mariadb, name) -> Any:
    at = {"host": "127.0.0.1", "port": mariadb.port, "user": "root", "database": name}
    return partial(driver.connect, **at)


def test_it_does_what_a_store_must_do(connect) -> None:
    store = SqlStore(connect, create=True)
    passed = conform(store, again=lambda: SqlStore(connect))
    assert len(passed) > 10, passed


def test_ids_of_two_drivers_are_of_one_line(connect, mariadb, name) -> None:
    store = SqlStore(connect, create=True)
    store.create_tag("orders", step=10, max_step=100)
    store.create_namespace("default")
    with (
        Segment("orders", store) as one,
        Segment("orders", mariadb.url(name)) as other,
        Snowflake(store=store) as stamps,
        Snowflake(store=mariadb.url(name)) as others,
    ):
        drawn = [id for _ in range(100) for id in (one.next(), *other.take(3))]
        stamped = [id for _ in range(100) for id in (stamps.next(), others.next())]
    assert len(drawn) == 400 == len(set(drawn)) and len(stamped) == 200 == len(set(stamped))
    assert {type(id) for id in drawn} == {int}


def test_a_connection_inside_a_transaction_commits_nothing(connect) -> None:
    assert SqlStore(connect, create=True).id
    shared = connect()
    cursor = shared.cursor()
    cursor.execute("CREATE TABLE of_the_application (a INT) ENGINE = InnoDB")
    cursor.execute("INSERT INTO of_the_application VALUES (1)")
    with pytest.raises(leafid.StoreRefusedError, match="inside a transaction"):
        SqlStore(lambda: shared).id
    shared.rollback()
    cursor.execute("SELECT COUNT(*) FROM of_the_application")
    assert cursor.fetchone() == (0,)


def test_a_server_that_is_away_is_told_with_the_drivers_own_error(driver, connect) -> None:
    with pytest.raises(leafid.StoreUnavailableError) as said:
        SqlStore(partial(connect, port=1)).id
    assert isinstance(said.value.__cause__, driver.Error)
