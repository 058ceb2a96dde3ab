"""Eight processes and a server on one database, all of them killed, and the database too."""

from __future__ import annotations

import subprocess

from leafid import SqlStore
from support.drawers import draw, drawn, end, size
from support.server import Server
from support.waiting import until

PROCESSES = 8


def test_nothing_is_given_twice(killed, tmp_path) -> None:
    name = killed.make()
    url = killed.url(name)
    with Server(tmp_path, store=url) as server:
        server.create_tag("orders", step=10, max_step=10)
        # Eight on the database, one through the server; each writes to a file of its own.
        stores = [url] * PROCESSES + [server.url]
        files = [tmp_path / f"{at}.ids" for at in range(len(stores))]
        processes: list[subprocess.Popen[str]] = []
        try:
            for each in zip(stores, files):
                processes.append(draw("both", *each, 1_000_000))
            assert until(lambda: all(file.exists() and file.stat().st_size for file in files))
            # The database goes in the middle of it, and comes back.
            killed.kill()
            killed.start()
            before = [file.stat().st_size for file in files]
            assert until(lambda: all(f.stat().st_size > b for f, b in zip(files, before)))
            # Half of the processes go, and others come; the server, too.
            for _ in range(PROCESSES // 2):
                end(processes.pop(0))
            server.kill()
            more = [tmp_path / f"more-{at}.ids" for at in range(PROCESSES // 2)]
            processes += [draw("both", url, file, 1_000_000) for file in more]
            server.start()
            before = size(tmp_path)
            assert until(lambda: all(file.exists() and file.stat().st_size for file in more))
            assert until(lambda: size(tmp_path) > before + 4_000)
            assert all(process.poll() is None for process in processes)
        finally:
            for process in processes:
                end(process)
    ids = drawn(tmp_path)
    duplicates = len(ids) - len(set(ids))
    print(f"{killed.name}, {PROCESSES // 2 + 2} kills: {len(ids)} IDs, {duplicates} duplicates")
    assert len(ids) > 1_000 and duplicates == 0


def test_without_the_condition_something_is(database, tmp_path) -> None:
    url = database.url(database.make())
    store = SqlStore(url, create=True)
    store.create_tag("orders", step=10, max_step=10)
    files = [tmp_path / f"{at}.ids" for at in range(4)]
    processes: list[subprocess.Popen[str]] = []
    try:
        for file in files:
            processes.append(draw("segment", url, file, 500, "unguarded"))
        for process in processes:
            process.communicate(timeout=300)
    finally:
        for process in processes:
            end(process)
    ids = drawn(tmp_path)
    duplicates = len(ids) - len(set(ids))
    print(f"{database.name} without its condition: {len(ids)} IDs, {duplicates} duplicates")
    assert duplicates > 0
