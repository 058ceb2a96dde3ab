"""Four processes and a server on one file, all of them killed again and again. The control is in
`test_tables.py`."""

from __future__ import annotations

from support.drawers import all_ended, begun, count, draw, end, size
from support.server import FILE
from support.waiting import until

ROUNDS = 4


def test_nothing_is_given_twice(server, tmp_path) -> None:
    server.create_tag("orders", step=10, max_step=10)
    file = f"sqlite:{server.folder / FILE}"
    for round in range(ROUNDS):
        # Four on the file, one through the server; each writes to a file of its own, new each time.
        stores = [file] * 4 + [server.url]
        files = [tmp_path / f"{round}-{at}.ids" for at in range(5)]
        with all_ended() as processes:
            for each in zip(stores, files):
                processes.append(draw("both", *each, 1_000_000))
            assert until(lambda: begun(files))
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
    ids, duplicates = count(tmp_path, f"sqlite, {6 * ROUNDS} kills")
    assert ids > 5 * ROUNDS * 10 and duplicates == 0
