"""`sqlite:PATH`: a file that the processes of one machine and a server share. Forks, and changes to the file, lose
no grants."""

import os
import sqlite3
from pathlib import Path

import pytest

import leafid
from leafid import Segment, Snowflake, SqliteStore
from leafid._sql.file.sqlite import File
from support.carrying import carried
from support.child import in_child
from support.places import HERE
from support.run import python
from support.server import FILE
from support.waiting import until


ASK = {"tag": "orders", "request": "01" * 16}


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


@pytest.mark.parametrize("end", ["", "-wal"])
def test_a_file_that_goes_while_it_is_open(path, end) -> None:
    store = SqliteStore(path, create=True)
    store.create_tag("orders", step=1, max_step=1)
    assert store.lease_segment(ASK)["start"] == 1
    moved = Path(f"{path}{end}-moved")
    os.rename(f"{path}{end}", moved)
    with pytest.raises(leafid.StoreRefusedError, match="was removed or moved while it is open"):
        store.lease_segment(ASK)
    os.rename(moved, f"{path}{end}")
    with pytest.raises(leafid.StoreRefusedError):
        store.lease_segment(ASK)


def test_a_grant_is_durable(path) -> None:
    store = SqliteStore(path, create=True)
    store.create_tag("orders")
    connection = store._tables.connection
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
        # Until two ranges are used up; then SQLite waits for the lock, and the ask fails.
        try:
            ids.take(5, timeout=0.1)
        except leafid.TimedOutError as late:
            causes.append(late.__cause__)
        return bool(causes) and isinstance(causes[-1], leafid.StoreUnavailableError)

    assert until(refused), causes
    assert "locked" in str(causes[-1])
    other.execute("ROLLBACK")
    assert ids.take(5)


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


# In its own process, and holding the GIL: otherwise the child could wait for ever for a thread that does
# not exist there.
UNSEEN = """
import ctypes, gc, os, sys
from leafid import SqliteStore
from support.child import in_child

path, other = sys.argv[1:]
store = SqliteStore(path, create=True)
store.create_tag("orders")
if other != path:
    os.symlink(path, other)

def grant():
    SqliteStore(other).lease_segment(ask)
    return "granted"

ask = {"tag": "orders", "request": "01" * 16}
fork = ctypes.PyDLL(None).fork

def lease():
    return store.lease_segment(ask)["start"]

print(*[in_child(act, fork=fork) for act in (grant, lambda: store.close() or grant(), lease)])
store.close()
print(in_child(lease, fork=fork))
print(in_child(grant))
store.lease_segment(ask)
del store
gc.collect()
print(in_child(grant, fork=fork))
"""


@pytest.mark.parametrize("name", ["ids.db", "link.db"])
def test_a_store_made_after_a_fork_that_python_does_not_see(path, name) -> None:
    said = python("-c", UNSEEN, path, path.with_name(name), path=HERE).splitlines()
    assert said[0] == "STORE_REFUSED STORE_REFUSED STORE_REFUSED", "it would write without a lock"
    # A child inherits nothing of closed or dropped stores.
    assert said[1:] == ["1", "granted", "granted"]


def test_what_a_fork_interrupts_is_refused_in_the_child(path, monkeypatch) -> None:
    monkeypatch.setattr("leafid._sql.tables.PATIENCE", 0.02)
    store = SqliteStore(path, create=True)
    store.create_tag("orders")
    # Meanwhile the hook of `os.fork` cannot close the file.
    with carried(lambda run: in_child(lambda: SqliteStore(path).lease_segment(ASK))) as said:
        store.lease_segment(ASK)
    assert said == ["STORE_REFUSED"]
    assert in_child(lambda: SqliteStore(path).lease_segment(ASK)["start"]) == "1001"


# Hooks run before a fork in the reverse order of their registration: this one runs after leafid's.
OPEN_AT_THE_FORK = """
import contextlib, os, sys

folder = sys.argv[1]

def look():
    for at in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{at}").startswith(folder):
                print("open", os.readlink(f"/proc/self/fd/{at}"), flush=True)

os.register_at_fork(before=look)
import leafid

orders = leafid.Segment("orders", f"sqlite:{folder}/ids.db", create=True)
orders.next()
look()
print("forks", flush=True)
if os.fork() == 0:
    os._exit(orders.next() != 1_001)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="open files are listed by Linux")
def test_no_child_inherits_an_open_file(tmp_path) -> None:
    said = python("-W", "ignore", "-c", OPEN_AT_THE_FORK, tmp_path).splitlines()
    forks = said.index("forks")
    assert any("ids.db" in line for line in said[:forks]), "the control: it is open until then"
    assert said[forks:] == ["forks", "0"]


FORKS_WHILE_STORES_ARE_MADE = """
import os, sys, threading
import leafid

url = sys.argv[1]
orders = leafid.Segment("orders", url, create=True, timeout=90)
orders.next()
made = [threading.Semaphore(0) for _ in range(2)]

def make(one):
    while True:
        leafid.Segment("orders", url, timeout=90).next()
        one.release()

for one in made:
    threading.Thread(target=make, args=(one,), daemon=True).start()
for _ in range(6):
    for one in made:
        one.acquire()
    if os.fork() == 0:
        os._exit(orders.next() < 1_001)
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
os._exit(0)
"""


def test_a_store_that_is_made_during_a_fork_is_opened_after_it(path) -> None:
    said = python("-W", "ignore", "-c", FORKS_WHILE_STORES_ARE_MADE, f"sqlite:{path}")
    assert said.split() == ["0"] * 6


def nobody_has_it_locked(path) -> bool:
    other = sqlite3.connect(path, isolation_level=None, timeout=0)
    try:
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
        return True
    except sqlite3.OperationalError:
        return False
    finally:
        other.close()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_interrupt_when_a_transaction_begins_leaves_no_lock(path, monkeypatch, moment) -> None:
    def interrupted(file: File, opened: sqlite3.Connection) -> None:
        if moment == "after":
            opened.execute("BEGIN IMMEDIATE")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(File, "begin", interrupted)
        with pytest.raises(KeyboardInterrupt):
            SqliteStore(path, create=True)
    assert nobody_has_it_locked(path)
    store = SqliteStore(path, create=True)
    store.create_tag("orders")
    with monkeypatch.context() as patch:
        patch.setattr(File, "begin", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.lease_segment(ASK)
    assert nobody_has_it_locked(path)
    assert store.lease_segment(ASK)["start"] == 1


def test_another_process_may_remove_the_log_until_it_is_opened(tmp_path, monkeypatch) -> None:
    store = leafid.SqliteStore(tmp_path / "ids.db", create=True)
    other = sqlite3.connect(tmp_path / "ids.db")
    other.execute("SELECT * FROM meta").fetchall()
    connected, log = File._connected, tmp_path / "ids.db-wal"
    assert log.exists()

    def late(self, create):
        other.close()
        assert not log.exists()
        # Takes the number of its inode.
        (tmp_path / "file").touch()
        return connected(self, create)

    monkeypatch.setattr(File, "_connected", late)
    store.create_tag("orders")
    assert store.tag("orders")["max_id"] == 1
