"""A folder of state files: each generator takes a free one, or else makes another."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

import leafid
from leafid import MemoryStore, Snowflake
from support.run import code
from support.waiting import failing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are state files on Linux only")

NOWHERE = "http://127.0.0.1:1"
# Windows of ten minutes, in which later runs without a store have to start.
LONG = {"length": 600}


def worker(ids: Snowflake) -> int:
    return leafid.decode(ids.next()).worker


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


@pytest.mark.filterwarnings("error", "ignore:2 generators in this process:RuntimeWarning")
def test_each_generator_has_a_file_of_its_own(memory, tmp_path) -> None:
    first, second = (Snowflake(store=memory, state=tmp_path, **LONG) for _ in range(2))
    workers = {worker(first), worker(second)}
    assert len(workers) == 2
    assert files(tmp_path) == ["default.0.state", "default.1.state"]
    before = [ids.take(100) for ids in (first, second)]
    first.close(), second.close()
    again = [Snowflake(store=NOWHERE, state=f"{tmp_path}/") for _ in range(2)]
    after = [ids.take(100) for ids in again]
    assert {leafid.decode(id).worker for part in after for id in part} == workers
    assert len({id for part in before + after for id in part}) == 400
    third = failing(Snowflake(store=NOWHERE, state=tmp_path))
    assert isinstance(third.__cause__, leafid.StoreUnavailableError), "both rights are in use"


def test_a_right_that_lasts_longer_comes_first(tmp_path) -> None:
    store = MemoryStore()
    long, short = (Snowflake(store=store, state=tmp_path, length=length) for length in (600, 300))
    # By number, the other file would come first.
    kept = [worker(short), worker(long)]
    assert files(tmp_path) == ["default.0.state", "default.1.state"]
    short.close(), long.close()
    assert worker(Snowflake(store=NOWHERE, state=tmp_path)) == kept[1]


def test_a_file_whose_lock_a_child_has_kept_is_passed_over(memory, tmp_path) -> None:
    with Snowflake(store=memory, state=tmp_path, **LONG) as ids:
        kept = worker(ids)
    # Like after the death of a worker whose child still has the lock without knowing.
    lock = os.open(tmp_path / "default.0.state.lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[lock])
    os.close(lock)
    try:
        second = Snowflake(store=memory, state=tmp_path, **LONG)
        assert worker(second) != kept
        assert files(tmp_path) == ["default.0.state", "default.1.state"]
    finally:
        child.communicate(b"\n", timeout=300)
    assert worker(Snowflake(store=NOWHERE, state=tmp_path)) == kept, "it is free again"


FORKS = """
import os, sys, warnings
from leafid import Snowflake, SqliteStore, decode
warnings.simplefilter("ignore", DeprecationWarning)
store = SqliteStore(sys.argv[2], create=True)
store.create_namespace("default")
ids = Snowflake(store=store, state=sys.argv[1], length=600)
if sys.argv[3] == "drawn":
    ids.next()
reads, writes = os.pipe()
closed, close = os.pipe()
for _ in range(4):
    if os.fork() == 0:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", RuntimeWarning)
            worker = decode(ids.next()).worker
        os.write(writes, f"{worker} {[str(one.message) for one in said]}\\n".encode())
        # Until all four have theirs.
        os.close(close)
        os.read(closed, 1)
        ids.close()
        os._exit(0)
with os.fdopen(reads) as told:
    for _ in range(4):
        print(told.readline(), end="")
os.close(close)
for _ in range(4):
    assert os.wait()[1] == 0
"""


@pytest.mark.parametrize("word", ["unused", "drawn"])
def test_children_have_files_of_their_own_unless_it_had_begun(tmp_path, word) -> None:
    """Like a server that loads the application once and forks."""
    folder = tmp_path / "states"
    folder.mkdir()
    told = code(FORKS, folder, tmp_path / "ids.db", word).splitlines()
    workers = {int(line.split()[0]) for line in told}
    assert len(workers) == 4
    if word == "drawn":
        why = "the generator was in use before the fork, so this child has no state file"
        assert all(why in line for line in told) and files(folder) == ["default.0.state"]
        return
    assert all(line.endswith(" []") for line in told), told
    assert files(folder) == [f"default.{n}.state" for n in range(4)]
    again = [Snowflake(store=NOWHERE, state=folder) for _ in range(4)]
    assert {worker(ids) for ids in again} == workers
