"""Four processes and a server on one file, all of them killed again and again."""

from __future__ import annotations

import subprocess

from leafid import SqliteStore
from support.drawers import draw, drawn, end, size
from support.server import FILE
from support.waiting import until

ROUNDS = 4


def test_nothing_is_given_twice(server, tmp_path) -> None:
    server.create_tag("orders", step=10, max_step=10)
    file = f"sqlite:{server.folder / FILE}"
    kills = 0
    for round in range(ROUNDS):
        # Four on the file, one through the server; each writes to a file of its own, new each time.
        stores = [file] * 4 + [server.url]
        files = [tmp_path / f"{round}-{at}.ids" for at in range(5)]
        processes: list[subprocess.Popen[str]] = []
        try:
            for each in zip(stores, files):
                processes.append(draw("both", *each, 1_000_000))
            assert until(lambda: all(file.exists() and file.stat().st_size for file in files))
            # In the middle of it the server goes, and comes back.
            server.kill()
            before = size(tmp_path)
            assert until(lambda: size(tmp_path) > before + 4_000)
            server.start()
            before = files[4].stat().st_size

            def goes_on() -> bool:
                return files[4].stat().st_size > before

            # Nobody's turn comes at a lock of SQLite's: those who want it again and again may keep it
            # from the server for long, and are fewer then.
            while len(processes) > 1 and not until(goes_on, seconds=10):
                end(processes.pop(0))
            assert until(goes_on)
            assert all(process.poll() is None for process in processes)
        finally:
            for process in processes:
                end(process)
        kills += 6
    ids = drawn(tmp_path)
    duplicates = len(ids) - len(set(ids))
    print(f"sqlite, {kills} kills: {len(ids)} IDs, {duplicates} duplicates")
    assert len(ids) > 5 * ROUNDS * 10 and duplicates == 0


def test_without_the_condition_something_is(tmp_path) -> None:
    path = tmp_path / "ids.db"
    store = SqliteStore(path, create=True)
    store.create_tag("orders", step=10, max_step=10)
    files = [tmp_path / f"{at}.ids" for at in range(4)]
    processes: list[subprocess.Popen[str]] = []
    try:
        for file in files:
            processes.append(draw("segment", f"sqlite:{path}", file, 1_000, "unguarded"))
        for process in processes:
            process.communicate(timeout=300)
    finally:
        for process in processes:
            end(process)
    ids = drawn(tmp_path)
    duplicates = len(ids) - len(set(ids))
    print(f"sqlite without its condition: {len(ids)} IDs, {duplicates} duplicates")
    assert duplicates > 0
