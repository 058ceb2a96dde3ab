"""`sqlite:PATH`: a file that the processes of one machine and a server share."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

import leafid
from leafid import Segment, Snowflake, SqliteStore
from leafid.__main__ import main
from support.forked import wait
from support.places import BINARY
from support.run import code
from support.server import FILE
from support.waiting import failing, until


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "ids.db"


def test_three_lines(path) -> None:
    orders = Segment("orders", store=f"sqlite:{path}", create=True)
    assert [orders.next(), *orders.take(3)] == [1, 2, 3, 4]
    with Snowflake(store=f"sqlite:{path}") as ids:
        assert abs(leafid.decode(ids.next()).time.timestamp() - path.stat().st_mtime) < 60
    again = Segment("orders", f"sqlite:{path}", create=True)
    assert again.next() > 4, "what is there is left as it is"


def test_a_relative_path_is_of_the_folder_where_it_was_given(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    orders = Segment("orders", "sqlite:some ids?#.db", create=True)
    monkeypatch.chdir("/")
    assert orders.next() == 1 and (tmp_path / "some ids?#.db").exists()


def test_a_namespace_of_ones_own(path) -> None:
    edge = Snowflake("edge", f"sqlite:{path}", create=True, layout="edge")
    assert leafid.decode(edge.next(), leafid.Layout.edge).worker == 0
    with pytest.raises(leafid.NamespaceUnknownError, match="leafid namespace create other"):
        Snowflake("other", f"sqlite:{path}").next()
    with pytest.raises(leafid.LayoutMismatchError):
        Snowflake("edge", f"sqlite:{path}", layout="leaf").next()
    store = SqliteStore(path)
    store.create_namespace("few", workers=(3, 5))
    workers = {leafid.decode(Snowflake("few", store).next()).worker for _ in range(2)}
    assert workers == {3, 4}


def test_what_is_not_there_is_not_made(path) -> None:
    with pytest.raises(leafid.StoreUnknownError, match="python -m leafid init --store sqlite:"):
        SqliteStore(path)
    with Segment("orders", f"sqlite:{path}") as orders:
        with pytest.raises(leafid.StoreUnknownError, match="python -m leafid init --store sqlite:"):
            orders.next()
    assert not path.exists()
    SqliteStore(path, create=True)
    orders = Segment("orders", f"sqlite:{path}")
    with pytest.raises(leafid.TagUnknownError, match="python -m leafid tag create orders --store sqlite:"):
        orders.next()
    SqliteStore(path).create_tag("orders", start=100)
    drawn: list[int] = []

    def draws() -> bool:
        # Until it asks again it says what it was told.
        with contextlib.suppress(leafid.TagUnknownError):
            drawn.append(orders.next(timeout=30))
        return bool(drawn)

    assert until(draws) and drawn == [100], "the generator is usable afterwards"
    with pytest.raises(leafid.TagExistsError):
        SqliteStore(path).create_tag("orders")


def test_other_stores_have_commands(server, memory) -> None:
    with pytest.raises(leafid.RequestInvalidError, match="leafid tag create orders"):
        Segment("orders", server.url, create=True)
    with pytest.raises(leafid.RequestInvalidError, match="leafid namespace create default"):
        Snowflake(store=server.url, create=True)
    assert Segment("orders", memory, create=True).next() == 1
    with pytest.raises(leafid.RequestInvalidError, match="needs a path"):
        Segment("orders", "sqlite:")


def empty(path: Path) -> None:
    path.touch()


def of_another_program(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE customers (name TEXT)")
    connection.close()


def of_no_database(path: Path) -> None:
    path.write_bytes(b"a letter to somebody, long enough for a header of SQLite " * 4)


def of_version(path: Path, version: int) -> None:
    SqliteStore(path, create=True).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


def newer(path: Path) -> None:
    of_version(path, 1_000)


def older(path: Path) -> None:
    of_version(path, 2)


def with_two_names(path: Path) -> None:
    SqliteStore(path, create=True).close()
    os.link(path, path.with_suffix(".other"))


def without_its_main_part(path: Path) -> None:
    store = SqliteStore(path, create=True)
    store.create_tag("orders")
    shutil.copy(f"{path}-wal", f"{path}-kept")
    store.close()
    path.unlink()
    os.rename(f"{path}-kept", f"{path}-wal")


def in_no_folder(path: Path) -> None:
    path.parent.rmdir()


def in_year_2100(path: Path) -> None:
    store = SqliteStore(path, create=True)
    Snowflake(store=store).next()
    store.close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE workers SET granted_ms = 4102444800000")
    connection.commit()
    connection.close()


@pytest.mark.skipif(os.name != "posix", reason="places are those of POSIX")
@pytest.mark.parametrize("make", [
    in_no_folder, empty, of_another_program, of_no_database, newer, older, with_two_names,
    without_its_main_part, in_year_2100,
])  # fmt: skip
def test_what_cannot_be_opened_is_said_as_the_server_says_it(tmp_path, make) -> None:
    path = tmp_path / "folder" / "ids.db"
    path.parent.mkdir()
    make(path)
    with pytest.raises(leafid.LeafidError) as refused:
        SqliteStore(path)
    words = ["serve", "--no-journal", "--store", f"sqlite:{path}", "--listen", "127.0.0.1:0"]
    said = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=300)
    assert said.returncode != 0
    codes = re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", said.stdout + said.stderr)
    assert refused.value.code in codes, f"{refused.value!r}\n{said.stdout}{said.stderr}"
    if refused.value.code == "SCHEMA_MISMATCH" and make is of_no_database:
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


def test_a_fork_opens_its_own(path) -> None:
    store = SqliteStore(path, create=True)
    store.create_tag("orders", step=5, max_step=5)
    ids, stamps = Segment("orders", store, timeout=30), Snowflake(store=store, timeout=30)
    mine = ids.take(3) + [stamps.next()]
    read, write = os.pipe()
    children = []
    for _ in range(4):
        pid = os.fork()
        if pid == 0:
            try:
                drawn = [ids.next() for _ in range(50)] + [stamps.next() for _ in range(50)]
                os.write(write, b"".join(b"%d " % id for id in drawn))
                os._exit(0)
            finally:
                os._exit(1)
        children.append(pid)
    mine += [ids.next() for _ in range(50)] + [stamps.next() for _ in range(50)]
    assert not any(wait(pid) for pid in children)
    theirs = [int(id) for id in os.read(read, 65_536).split()]
    assert len(theirs) == 400
    assert len(set(mine + theirs)) == len(mine) + 400
    check = sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone()
    assert check == ("ok",)


# In a process of its own, and with the GIL in hand: a child that another thread took it from, or wants
# it from, would wait for that thread for ever.
UNSEEN = """
import ctypes, os, sys
import leafid
store = leafid.SqliteStore(sys.argv[1], create=True)
store.create_tag("orders")
for opened in (True, False):
    if opened:
        store.lease_segment({"tag": "orders", "request": "01" * 16})
    else:
        store.close()
    pid = ctypes.PyDLL(None).fork()
    if pid == 0:
        ended = 1
        try:
            store.lease_segment({"tag": "orders", "request": "02" * 16})
            ended = 2
        except leafid.StoreRefusedError:
            ended = 3
        finally:
            os._exit(ended)
    print(opened, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
assert store.lease_segment({"tag": "orders", "request": "03" * 16})
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_that_python_does_not_see(path) -> None:
    assert code(UNSEEN, path) == "True 3\nFalse 2\n"


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


def test_the_commands(path, capsys) -> None:
    store = f"sqlite:{path}"
    assert main(["tag", "create", "orders", "--store", store]) == 1
    assert "STORE_UNKNOWN" in capsys.readouterr().err
    assert main(["init", "--store", store]) == 0
    assert SqliteStore(path).id in capsys.readouterr().out
    assert main(["init", "--store", store]) == 1, "a store that is there is not made again"
    assert "STORE_REFUSED" in capsys.readouterr().err
    assert main(["tag", "create", "orders", "--from", "7", "--step", "2", "--store", store]) == 0
    assert main(["tag", "create", "orders", "--store", store]) == 1
    assert "TAG_EXISTS" in capsys.readouterr().err
    assert main(["tag", "create", "orders", "--if-missing", "--store", store]) == 0
    assert main(["next", "orders", "-n", "2", "--store", store]) == 0
    assert capsys.readouterr().out.endswith("7\n8\n")
    assert main(["init", "--store", "http://127.0.0.1:8750"]) == 1
    assert "leafid init" in capsys.readouterr().err
    shown = subprocess.run(
        [BINARY, "tag", "list", "--store", store], capture_output=True, text=True, timeout=300
    )
    assert "orders" in shown.stdout, shown.stderr


def test_a_holders_proof_stops_its_tag_for_every_process(path) -> None:
    store = SqliteStore(path, create=True)
    store.create_tag("orders", step=10, max_step=10)
    orders = Segment("orders", SqliteStore(path))
    assert orders.next() == 1
    ask = {"tag": "orders", "request": "01" * 16}
    with pytest.raises(leafid.StoreWentBackError):
        store.lease_segment({**ask, "have_until": 101})
    lease = f"""
        import sys
        from leafid import LeafidError, SqlStore, SqliteStore
        for store in (SqliteStore(sys.argv[1]), SqlStore("sqlite:" + sys.argv[1])):
            try:
                store.lease_segment({ask})
            except LeafidError as error:
                print(error.code, error)
    """
    for line in code(lease, path).splitlines():
        assert line.startswith("STORE_REFUSED tag `orders` stands at 11, and"), line
        assert line.endswith("leafid tag advance orders --to N"), line
    assert store.tag("orders")["claimed_until"] == 101
    # It uses up the range it has, then waits.
    assert orders.take(9) == list(range(2, 11))
    with pytest.raises(leafid.TimedOutError):
        orders.next(timeout=0.5)
    store.set_tag("orders", max_step=20)
    assert store.tag("orders")["claimed_until"] == 101, "moved by nobody"
    store.advance_tag("orders", 101)
    assert store.tag("orders")["claimed_until"] is None
    assert orders.next(timeout=60) == 101
