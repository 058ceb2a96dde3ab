"""Processes and a server on one file or one database, all killed again and again, and the database too; and
processes with state files, while the store is away. They draw (`drawing.py`) until they are killed, and record
their IDs."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.databases import Database
from support.ending import bound
from support.places import HERE
from support.server import FILE, Server
from support.waiting import until

DRAWING = HERE / "support/drawing.py"


def draw(kind: str, store: object, file: Path, count: int, *words: object, path: object = "") -> subprocess.Popen[str]:
    command = [*bound(), sys.executable, DRAWING, kind, store, file, count, *words]
    variables = {**os.environ, "PYTHONPATH": str(path)}
    return subprocess.Popen([*map(str, command)], stderr=subprocess.PIPE, text=True, env=variables)


@contextmanager
def all_ended() -> Iterator[list[subprocess.Popen[str]]]:
    """Ends all processes that the block has put in the list."""
    processes: list[subprocess.Popen[str]] = []
    try:
        yield processes
    finally:
        for process in processes:
            end(process)


def begun(files: list[Path], size: int = 1) -> bool:
    """Whether every file has so much content."""
    return all(file.exists() and file.stat().st_size >= size for file in files)


def count(folder: Path, what: str) -> tuple[int, int]:
    """Counts the recorded IDs, and the duplicates among them."""
    ids = drawn(folder)
    duplicates = len(ids) - len(set(ids))
    print(f"{what}: {len(ids)} IDs, {duplicates} duplicates")
    return len(ids), duplicates


def drawn(folder: Path) -> list[int]:
    """The recorded IDs, without the last lines of files, which a kill may have cut."""
    ids = []
    for file in folder.glob("*.ids"):
        lines = file.read_text().splitlines(keepends=True)
        ids += [int(line) for line in lines if line.endswith("\n")]
    return ids


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("*.ids"))


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_nothing_of_a_file_is_given_twice(tmp_path) -> None:
    nothing_twice(tmp_path, None)


def test_nothing_of_a_database_is_given_twice(killed, tmp_path) -> None:
    nothing_twice(tmp_path, killed)


def nothing_twice(tmp_path: Path, database: Database | None) -> None:
    url = database.url(database.make()) if database else f"sqlite:{tmp_path / FILE}"
    rounds = 2 if database else 4
    with Server(tmp_path, store=url) as server:
        server.create_tag("orders", step=10, max_step=10)
        for round in range(rounds):
            # Four processes on the store, one through the server, each with its own new file.
            files = [tmp_path / f"{round}-{at}.ids" for at in range(5)]
            with all_ended() as processes:
                for each in zip([url] * 4 + [server.url], files):
                    processes.append(draw("both", *each, 1_000_000))
                assert until(lambda: begun(files))
                # Meanwhile the database is killed and restarted, then the server.
                if database:
                    database.kill()
                    database.start()
                    goes_on(files[4], processes)
                server.kill()
                before = size(tmp_path)
                assert until(lambda: size(tmp_path) > before + 4_000)
                server.start()
                goes_on(files[4], processes)
                assert all(process.poll() is None for process in processes)
    ids, duplicates = count(tmp_path, f"{url.partition(':')[0]}, {7 * rounds} kills")
    assert ids > 5 * rounds * 10 and duplicates == 0


def goes_on(file: Path, processes: list) -> None:
    """Waits for the process that draws through the server. SQLite's lock is not fair: the others may keep it from
    the server for long, and are then ended one by one."""
    before = file.stat().st_size

    def has_more() -> bool:
        return file.stat().st_size > before

    while len(processes) > 1 and not until(has_more, seconds=10):
        end(processes.pop(0))
    assert until(has_more)


def test_without_the_condition_something_is_given_twice(place, tmp_path) -> None:
    """The control."""
    place.open(create=True).create_tag("orders", step=10, max_step=10)
    with all_ended() as processes:
        for at in range(4):
            processes.append(draw("segment", place.url, tmp_path / f"{at}.ids", 1_000, "unguarded"))
        # Not until they end: a holder that notices a duplicate range stops the tag.
        assert until(lambda: count(tmp_path, "without the condition")[1] > 0)


def from_state_files(server: Server, folder: Path, path: object = "", least: int = 100) -> int:
    """How many IDs processes give twice that share a folder of state files, and are killed; every other time the
    store is away. Ends with the first of them, or once so many processes have drawn without the store."""
    server.create_namespace("edge", layout="edge")
    (folder / "states").mkdir()
    alone = duplicates = 0
    for round in range(20):
        for store, seconds in ((server.url, 90), ("http://127.0.0.1:1", 8)):
            files = [folder / f"{round}-{seconds}-{at}.ids" for at in range(4)]
            with all_ended() as processes:
                processes += [draw("state", store, file, 10**7, folder / "states", path=path) for file in files]
                # Their windows, of ten seconds, may end before all have begun on a busy machine.
                until(lambda: begun(files, 2_000_000), seconds=seconds)
        alone += sum(begun([file]) for file in files)
        duplicates = count(folder, f"{alone} processes without the store")[1]
        if duplicates or alone >= least:
            return duplicates
    raise AssertionError("no process has drawn without the store")


@pytest.mark.skipif(sys.platform != "linux", reason="there are state files on Linux only")
def test_killed_processes_go_on_while_the_store_is_away(server, tmp_path) -> None:
    assert from_state_files(server, tmp_path, least=6) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="there are state files on Linux only")
def test_without_the_writes_something_is_given_twice(server, tmp_path, unguarded) -> None:
    assert from_state_files(server, tmp_path, unguarded) > 0
