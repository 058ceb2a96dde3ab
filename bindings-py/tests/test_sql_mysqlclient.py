"""mysqlclient, the driver in C, beside PyMySQL, which the other tests have."""

from __future__ import annotations

from functools import partial
from typing import Any

import MySQLdb
import pytest

import leafid
from leafid import Segment, Snowflake, SqlStore
from leafid.testing import conform


def connected(mariadb, name: str) -> Any:
    return MySQLdb.connect(host="127.0.0.1", port=mariadb.port, user="root", database=name)


@pytest.fixture
def connect(mariadb) -> Any:
    return partial(connected, mariadb, mariadb.make())


def test_it_does_what_a_store_must_do(connect) -> None:
    store = SqlStore(connect, create=True)
    passed = conform(store, again=lambda: SqlStore(connect))
    assert len(passed) > 10, passed


def test_ids_of_two_drivers_are_of_one_line(mariadb) -> None:
    name = mariadb.make()
    store = SqlStore(partial(connected, mariadb, name), create=True)
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


def test_a_connection_inside_a_transaction_is_refused_and_nothing_is_committed(connect) -> None:
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


def test_a_server_that_is_away_is_told_with_the_drivers_own_error(mariadb) -> None:
    with pytest.raises(leafid.StoreUnavailableError) as said:
        SqlStore(
            lambda: MySQLdb.connect(host="127.0.0.1", port=1, user="root", database="ids")
        ).id
    assert isinstance(said.value.__cause__, MySQLdb.Error)
