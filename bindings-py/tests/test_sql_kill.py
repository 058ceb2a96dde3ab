"""Eight processes and a server on one database, all of them killed, and the database too. The control is
in `test_tables.py`."""

from __future__ import annotations

from support.drawers import all_ended, begun, count, draw, end, size
from support.server import Server
from support.waiting import until

PROCESSES = 8


def test_nothing_is_given_twice(killed, tmp_path) -> None:
    name = killed.make()
    url = killed.url(name)
    with Server(tmp_path, store=url) as server, all_ended() as processes:
        server.create_tag("orders", step=10, max_step=10)
        # Eight on the database, one through the server; each writes to a file of its own.
        stores = [url] * PROCESSES + [server.url]
        files = [tmp_path / f"{at}.ids" for at in range(len(stores))]
        for each in zip(stores, files):
            processes.append(draw("both", *each, 1_000_000))
        assert until(lambda: begun(files))
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
        drawn_before = size(tmp_path)
        assert until(lambda: begun(more))
        assert until(lambda: size(tmp_path) > drawn_before + 4_000)
        assert all(process.poll() is None for process in processes)
    ids, duplicates = count(tmp_path, f"{killed.name}, {PROCESSES // 2 + 2} kills")
    assert ids > 1_000 and duplicates == 0
