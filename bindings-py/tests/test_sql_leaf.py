"""Leaf's own table as the store of tags, while a Leaf uses it too."""

import threading

import pytest

import leafid
from leafid import SqlStore
from support.waiting import end_all, start_all

ASK = {"tag": "orders", "request": "01" * 16}
MADE = """CREATE TABLE leaf_alloc (
    biz_tag VARCHAR(128) NOT NULL DEFAULT '', max_id BIGINT NOT NULL DEFAULT 1, step INT NOT NULL,
    description VARCHAR(256), update_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
        ON UPDATE CURRENT_TIMESTAMP,
    PRIMARY KEY (biz_tag)
) ENGINE = InnoDB"""


@pytest.fixture
def name(mariadb) -> str:
    name = mariadb.make()
    mariadb.run(name, MADE, "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 1, 100)")
    return name


@pytest.fixture
def url(mariadb, name) -> str:
    return f"{mariadb.url(name)}?tags=leaf_alloc"


def test_leafs_rows_are_the_tags(mariadb, name, url) -> None:
    assert SqlStore(url, create=True).id
    store = SqlStore(mariadb.factory(name), tags="leaf_alloc")
    assert store.place.endswith(f"/{name}?tags=leaf_alloc")
    assert store.lease_segment(ASK)["start"] == 1
    mariadb.run(name, "UPDATE leaf_alloc SET max_id = max_id + step WHERE biz_tag = 'orders'")
    assert store.lease_segment(ASK)["start"] == 201, "a Leaf has taken 101 to 200"
    assert mariadb.run(name, "SELECT max_id FROM leaf_alloc") == [(301,)]
    tables = {row[0] for row in mariadb.run(name, "SHOW TABLES")}
    ours = {"leafid_meta", "leafid_tags", "leafid_namespaces", "leafid_workers", "leafid_servers"}
    assert tables == {"leaf_alloc", *ours}
    with leafid.Segment("orders", url) as orders, leafid.Snowflake(store=url) as ids:
        assert orders.next() == 301
        assert ids.next() > 0


def test_tags_are_made_deleted_and_made_again(mariadb, name, url) -> None:
    store = SqlStore(url, create=True)
    store.create_tag("bills", start=500, step=10, max_step=50, until=521)
    bills = {**ASK, "tag": "bills"}
    starts = [store.lease_segment(bills)["start"] for _ in range(2)]
    assert starts == [500, 510]
    assert mariadb.run(name, "SELECT max_id, step FROM leaf_alloc WHERE biz_tag = 'bills'") == [(520, 10)]
    with pytest.raises(leafid.TagExistsError):
        store.create_tag("bills")
    store.delete_tag("bills")
    with pytest.raises(leafid.TagUnknownError):
        store.lease_segment(bills)
    store.create_tag("bills", step=10)
    assert store.lease_segment(bills)["start"] == 520, "it goes on above"


def test_what_is_not_leafs(mariadb, postgres) -> None:
    name = mariadb.make()
    with pytest.raises(leafid.SchemaMismatchError, match="no table `leaf_alloc`"):
        SqlStore(f"{mariadb.url(name)}?tags=leaf_alloc", create=True).id
    mariadb.run(name, "CREATE TABLE leaf_alloc (id INT)")
    with pytest.raises(leafid.SchemaMismatchError, match="not Leaf's"):
        SqlStore(mariadb.factory(name), tags="leaf_alloc", create=True).id
    with pytest.raises(leafid.RequestInvalidError, match="tags=leaf_alloc"):
        SqlStore(postgres.factory(postgres.make()), tags="leaf_alloc", create=True).id


def test_a_leaf_beside_it_gives_nothing_twice(mariadb, name, url) -> None:
    """Acts like Leaf: adds its step, then reads the position, in one transaction."""
    assert SqlStore(url, create=True).id
    taken: list[int] = []
    connection = mariadb.connect(name)
    done = threading.Event()

    def leaf() -> None:
        cursor = connection.cursor()
        while not done.is_set():
            connection.begin()
            cursor.execute("UPDATE leaf_alloc SET max_id = max_id + step WHERE biz_tag = 'orders'")
            cursor.execute("SELECT max_id, step FROM leaf_alloc WHERE biz_tag = 'orders'")
            ((end, step),) = cursor.fetchall()
            connection.commit()
            taken.extend(range(end - step, end))

    beside = start_all([threading.Thread(target=leaf)])
    try:
        # Leases of 100 numbers, so that some collide with those of the Leaf.
        with leafid.Segment("orders", url, max_step=100, timeout=30) as orders:
            drawn = [id for _ in range(100) for id in orders.take(100)]
    finally:
        done.set()
        end_all(beside)
        connection.close()
    both = [*drawn, *taken]
    print(f"leaf_alloc: {len(drawn)} of ours, {len(taken)} of Leaf's")
    assert len(taken) >= 100 and len(set(both)) == len(both)
