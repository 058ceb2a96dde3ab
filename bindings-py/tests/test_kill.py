"""Processes and a server on one file or one database, all of them killed again and again, and the database too."""

from __future__ import annotations

from pathlib import Path

from support.databases import Database
from support.drawers import all_ended, begun, count, draw, end, size
from support.server import FILE, Server
from support.waiting import until


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
            # Four on the store, one through the server; each writes to a file of its own, new each time.
            files = [tmp_path / f"{round}-{at}.ids" for at in range(5)]
            with all_ended() as processes:
                for each in zip([url] * 4 + [server.url], files):
                    processes.append(draw("both", *each, 1_000_000))
                assert until(lambda: begun(files))
                # In the middle of it the database goes, and comes back; and then the server.
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
    name = database.name if database else "sqlite"
    ids, duplicates = count(tmp_path, f"{name}, {7 * rounds} kills")
    assert ids > 5 * rounds * 10 and duplicates == 0


def goes_on(file: Path, processes: list) -> None:
    """Waits for the one that draws through the server. Nobody's turn comes at a lock of SQLite's: those who want it
    again and again may keep it from the server for long, and are fewer then."""
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
        # A holder that notices it stops the tag, so they may not come to their ends.
        assert until(lambda: count(tmp_path, "without the condition")[1] > 0)
