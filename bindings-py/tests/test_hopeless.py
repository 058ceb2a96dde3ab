"""Permanent failures are raised at once, with their own code and advice; temporary ones are waited for, and no
program connects to its database before the first ID. Node has the same tables in `hopeless.test.mjs`, the
server's start in `tests/files.rs` and `tests/databases/engines/refused.rs`."""

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

import leafid
from leafid import Segment, Snowflake, SqlStore, SqliteStore
from support.codes import is_permanent
from support.databases import Mariadb
from support.places import BINARY
from support.waiting import failing, refusal, until

# Longer than any wait here: a caller that did wait would get `TIMED_OUT`.
LONG_S = 60
# A user that owns nothing.
NOBODY = 65534


def at_once(url: str, code: str, *words: str) -> None:
    """Checks the failure without `create`, and also with it unless a new store would cure it."""
    for create in {False, "create=True" not in words}:
        for kind in (Segment, Snowflake):
            name = "orders" if kind is Segment else "default"
            with kind(name, url, create=create, timeout=LONG_S) as ids:
                error = refusal(ids, is_permanent(code))
            assert error.code == code, repr(error)
            assert all(word in str(error) for word in words), error


def a_store(path: Path, *changes: str) -> None:
    store = SqliteStore(path, create=True)
    store.create_tag("orders")
    Snowflake(store=store).next()
    store.close()
    statements(path, *changes)


def statements(path: Path, *texts: str) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for text in texts:
            connection.execute(text)


def with_two_names(path: Path) -> None:
    a_store(path)
    os.link(path, path.with_suffix(".other"))


def without_its_main_part(path: Path) -> None:
    store = SqliteStore(path, create=True)
    store.create_tag("orders")
    shutil.copy(f"{path}-wal", f"{path}-kept")
    store.close()
    path.unlink()
    os.rename(f"{path}-kept", f"{path}-wal")


def changed(*statements: str) -> Callable[[Path], None]:
    return lambda path: a_store(path, *statements)


FILES: dict[str, tuple[Callable[[Path], Any], str, tuple[str, ...]]] = {
    "no folder": (lambda path: path.parent.rmdir(), "STORE_UNKNOWN", ("mkdir -p",)),
    "not there": (lambda path: None, "STORE_UNKNOWN", ("leafid init --store sqlite:", "create=True")),
    "empty": (Path.touch, "STORE_UNKNOWN", ("empty file", "leafid init", "create=True")),
    "no tables": (
        lambda path: statements(path, "CREATE TABLE t (x)", "DROP TABLE t", "VACUUM"),
        "STORE_UNKNOWN",
        ("has no tables", "leafid init", "create=True"),
    ),
    "a folder": (Path.mkdir, "STORE_UNKNOWN", ("is a folder", "/leafid.db")),
    "no database": (lambda path: path.write_bytes(b"x" * 4096), "SCHEMA_MISMATCH", ("not a leafid",)),
    "another program's": (
        lambda path: statements(path, "CREATE TABLE customers (id INTEGER)"),
        "SCHEMA_MISMATCH",
        ("another program made it",),
    ),
    "too old": (changed("PRAGMA user_version = 0"), "SCHEMA_MISMATCH", ("version 0", "use the version of leafid")),
    "too new": (changed("PRAGMA user_version = 99"), "SCHEMA_MISMATCH", ("version 99", "use the version of leafid")),
    "two names": (with_two_names, "STORE_REFUSED", ("has 2 names",)),
    "no main part": (without_its_main_part, "STORE_REFUSED", ("is gone, but its log",)),
    "in the year 2100": (
        changed("UPDATE workers SET granted_ms = 4102444800000"),
        "STORE_REFUSED",
        ("days before the last time",),
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_as_the_server_says_it(case: str, tmp_path: Path) -> None:
    make, code, words = FILES[case]
    path = tmp_path / "folder" / "ids.db"
    path.parent.mkdir()
    make(path)
    was_there = path.exists()
    at_once(f"sqlite:{path}", code, *words)
    assert path.exists() == was_there, "it is not made"
    command = [BINARY, "serve", "--no-journal", "--store", f"sqlite:{path}", "--listen", "127.0.0.1:0"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert said.returncode != 0 and code in said.stdout + said.stderr, said


READS = f"""
import os, sys
from leafid import LeafidError, Segment, SqliteStore
if os.getuid() == 0:
    # Root may write everything.
    os.setgroups([]), os.setgid({NOBODY}), os.setuid({NOBODY})
with Segment("orders", sys.argv[1], timeout={LONG_S}) as ids:
    try:
        ids.next()
    except LeafidError as error:
        print(error.code, error)
"""


@pytest.mark.parametrize("mode", [0o400, 0o444])
def test_a_file_that_this_user_may_not_write(mode: int) -> None:
    # Not in pytest's folder, which only root can read.
    with tempfile.TemporaryDirectory(prefix="leafid-") as folder:
        Path(folder).chmod(0o755)
        path = Path(folder, "ids.db")
        a_store(path)
        path.chmod(mode)
        command = [sys.executable, "-c", READS, f"sqlite:{path}"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=2 * LONG_S)
    assert said.stdout.startswith("FORBIDDEN this user cannot write"), said


def in_database(database: Any, name: str, *changes: str) -> str:
    with contextlib.closing(SqlStore(database.url(name), create=True)) as store:
        store.create_tag("orders", if_missing=True)
    database.run(name, *(change.format(meta=database.table("meta")) for change in changes))
    return str(database.url(name))


def versioned(version: int) -> Callable[[Any, str], str]:
    return lambda database, name: in_database(database, name, f"UPDATE {{meta}} SET version = {version}")


def as_user(database: Any, name: str, user: str, password: str = "") -> str:
    login = f"{user}:{password}" if password else user
    return str(database.url(name)).replace("leafid@", f"{login}@").replace("root@", f"{login}@")


def stranger(database: Any, name: str) -> str:
    """A user with another password than this."""
    if isinstance(database, Mariadb):
        database.run(name, f"CREATE USER stranger_{name}@'127.0.0.1' IDENTIFIED BY 'right'")
    else:
        rules = Path(database.run(name, "SHOW hba_file")[0][0])
        asks = f"host all stranger_{name} 127.0.0.1/32 scram-sha-256\n"
        rules.write_text(asks + rules.read_text())
        made = f"CREATE ROLE stranger_{name} LOGIN PASSWORD 'right'"
        database.run(name, made, "SELECT pg_reload_conf()")
    url = as_user(database, name, f"stranger_{name}", "wr0ng")

    def is_asked() -> bool:
        # The server reads the rules some time later.
        try:
            SqlStore(url).id
        except leafid.LeafidError as error:
            return "password" in str(error)
        return False

    assert until(is_asked)
    return url


def weak(database: Any, name: str, *rights: str) -> str:
    """A user with these rights only."""
    in_database(database, name)
    if isinstance(database, Mariadb):
        database.run(name, f"CREATE USER weak_{name}@'127.0.0.1'")
        database.run(name, *(f"GRANT {right} ON {name}.* TO weak_{name}@'127.0.0.1'" for right in rights))
    else:
        database.run(name, f"CREATE ROLE weak_{name} LOGIN")
        tables = [f"{right} ON ALL TABLES IN SCHEMA leafid" for right in rights]
        rights = ("USAGE ON SCHEMA leafid", *tables) if rights else ()
        database.run(name, *(f"GRANT {right} TO weak_{name}" for right in rights))
    return as_user(database, name, f"weak_{name}")


def of_others(database: Any, name: str) -> str:
    database.run(name, *([] if isinstance(database, Mariadb) else ["CREATE SCHEMA leafid"]))
    database.run(name, f"CREATE TABLE {database.table('tags')} (id INT)")
    return str(database.url(name))


RIGHTS = "rights on the tables that docs/STORES.md"
DATABASES: dict[str, tuple[Callable[[Any, str], str], str, tuple[str, ...]]] = {
    "no tables": (lambda on, name: on.url(name), "STORE_UNKNOWN", ("has no tables", "leafid init ", "create=True")),
    "no such database": (lambda on, name: on.url(f"{name}_none"), "STORE_UNKNOWN", ("CREATE DATABASE",)),
    "too old": (versioned(0), "SCHEMA_MISMATCH", ("version 0", "use the version of leafid")),
    "too new": (versioned(99), "SCHEMA_MISMATCH", ("version 99", "use the version of leafid")),
    "another program's": (of_others, "SCHEMA_MISMATCH", ("another program's",)),
    "wrong password": (stranger, "UNAUTHORIZED", ("check the user and the password",)),
    "nobody of that name": (
        lambda on, name: as_user(on, name, "nobody_known"), "UNAUTHORIZED", ("check the user and the password",)
    ),
    "no rights": (weak, "FORBIDDEN", (RIGHTS,)),
    "may only read": (lambda on, name: weak(on, name, "SELECT"), "FORBIDDEN", (RIGHTS,)),
}  # fmt: skip


@pytest.mark.parametrize("case", DATABASES)
def test_a_database(case: str, database: Any) -> None:
    make, code, words = DATABASES[case]
    at_once(make(database, database.make()), code, *words)


def test_tables_that_go_while_they_are_used(database: Any) -> None:
    name = database.make()
    url = in_database(database, name)
    with Segment("orders", url, timeout=LONG_S) as orders:
        assert orders.next() == 1
        database.make_again(name)
        drawn: list[int] = []
        with pytest.raises(leafid.StoreUnknownError, match="its tables are gone"):
            # The IDs in hand are used up first.
            while len(drawn) < 100_000:
                drawn.append(orders.next())
        assert drawn


@pytest.mark.parametrize("url", [
    "http://u:s3cret@127.0.0.1:1",
    pytest.param("postgres://u:s3cret@127.0.0.1:1/d", marks=pytest.mark.engine),
    pytest.param("mysql://u:s3cret@127.0.0.1:1/d", marks=pytest.mark.engine),
])  # fmt: skip
def test_a_store_that_is_away_is_waited_for(url: str) -> None:
    with Segment("orders", url) as orders:
        late = failing(orders)
    assert isinstance(late.__cause__, leafid.StoreUnavailableError), late
    assert re.search("no answer from `.*127.0.0.1:1/|127.0.0.1:1/d cannot be reached", str(late.__cause__)), late
    assert "s3cret" not in str(late)


def test_generators_are_made_while_the_database_is_away(killed, tmp_path) -> None:
    name = killed.make()
    url = killed.url(name)
    text = killed.sqlalchemy(name)
    killed.kill()
    made = [
        Segment("orders", url, create=True),
        Segment("bills", text, create=True),
        Segment("parts", SqlStore(sqlalchemy.create_engine(text), create=True), create=True),
        Segment("notes", SqlStore(killed.factory(name), create=True), create=True),
    ]
    pages = Snowflake("pages", url, create=True, workers=(5, 9), state=tmp_path / "state")
    assert "127.0.0.1" in str(failing(made[0])), "it says where nobody is"
    killed.start()
    try:
        assert [ids.next(timeout=60) for ids in made] == [1] * 4
        assert leafid.decode(pages.next(timeout=60)).worker == 5
    finally:
        for ids in (*made, pages):
            ids.close()


def engine(*urls: str) -> list[Any]:
    """Parameters in the group `engine`, which alone has the drivers."""
    return [pytest.param(url, "", marks=pytest.mark.engine) for url in urls]


@pytest.mark.parametrize(("url", "says"), [
    ("postgres://u:s3cret@h:port/d", "cannot be read"), ("mysql://u:s3cret@h", "names no database"),
    ("postgresql+psycopg://u:s3cret@h:port/d", "cannot read it"), ("postgresql+none://u:s3cret@h/x", "has no `postgresql"),
    ("oracle://u:s3cret@h/d", "`postgres://…`, `mysql://…`"),
    ("postgresql+asyncpg://u:s3cret@h/d", "asyncpg is asynchronous, .*`postgresql://…`"),
    ("postgres://:s3cret@h/d", ""), ("postgres://u:s3cret@h", ""), ("mysql://u:s3@cret@h/d", ""),
    ("mysql://u:s3cret@h/d?colour=s3cret", ""), ("mysql://u:s3cret@h/d?tags=tags", ""),
    ("postgres://u:s3cret@h/d?tags=leaf_alloc", ""),
    *engine(
        "postgres://u:s3cret%zz@127.0.0.1:1/x", "postgres://u:s3cret and@127.0.0.1:1/x",
        "postgres://u:s3cret@127.0.0.1:1/x?s3cret=1", "mysql+pymysql://u:s3cret/1@127.0.0.1:1/x",
        "postgresql+psycopg://u:s3cret@127.0.0.1:s3cret/x", " postgres://u:s3cret@127.0.0.1:1/x",
        "jdbc:mysql://u:s3cret@h/x", "oracle://u:s3cret/@h/x", "postgres://u@127.0.0.1:1/x?password=s3cret",
    ),
])  # fmt: skip
def test_an_address_that_is_wrong_is_said_without_its_password(url, says) -> None:
    def said(error: BaseException | None) -> str:
        return "" if error is None else f"{error!r} {said(error.__cause__)}"

    for act in (lambda: SqlStore(url).id, lambda: Segment("orders", url, timeout=0).next()):
        with pytest.raises(leafid.LeafidError) as refused:
            act()
        assert "cret" not in said(refused.value)
    assert re.search(says, str(refused.value)), refused.value


def test_an_asynchronous_engine_is_refused_with_the_way(tmp_path) -> None:
    from sqlalchemy.ext.asyncio import create_async_engine

    with pytest.raises(leafid.RequestInvalidError, match="aiosqlite is asynchronous, .*`sqlite:PATH`"):
        SqlStore(create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'ids.db'}"))
