"""mysqlclient, the driver in C; other tests use PyMySQL. It has no wheel, so not every machine has it."""

import importlib
from functools import partial
from typing import Any

import pytest

import leafid
from leafid import SqlStore
from leafid.testing import conform
from support.places import not_run


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


def test_it_does_what_a_store_must_do(connect, mariadb, name) -> None:
    passed = conform(SqlStore(connect, create=True), again=lambda: SqlStore(mariadb.url(name)))
    assert {"lease-other-process", "acquire-other-process"} < set(passed)


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
