"""A web server with many processes and one folder of state files: its workers are killed again and
again, while the store is away."""

from __future__ import annotations

import http.client
import os
import signal
import sys
import threading
import time
from array import array
from pathlib import Path

import pytest

from support.asking import ask
from support.load import listening
from support.places import HERE
from support.waiting import run_all

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are state files on Linux only")
WORKERS, CLIENTS, REQUESTS = 4, 4, 6
GUNICORN = [sys.executable, "-m", "gunicorn", "-w", WORKERS, "--bind", "fd://{fd}", "--log-level", "error"]
# The least number of runs without the store, for which rounds are repeated, and the most rounds.
ALONE, MOST = 6, 20
# The longest part of a round without the store, in s: windows end.
ALONE_S = 8.0


class Answers:
    """The results of one round's requests: the IDs, and the processes that never asked the store."""

    def __init__(self) -> None:
        self.ids = array("Q")
        self.pids: set[int] = set()
        self.alone: set[int] = set()

    def ask(self, port: int) -> None:
        try:
            status, headers, drawn = ask(port, timeout=30)
        except (OSError, http.client.HTTPException):
            return  # Its worker was killed.
        if status == 200:
            pid = int(headers["X-Pid"])
            self.ids.frombytes(drawn)
            self.pids.add(pid)
            if headers["X-Grants"] == "0":
                self.alone.add(pid)

    def asked(self, port: int, patience: float) -> Answers:
        """Sends requests from many clients, a fixed number each, or until time is up."""
        deadline = time.monotonic() + patience

        def client() -> None:
            for _ in range(REQUESTS):
                if time.monotonic() < deadline:
                    self.ask(port)

        run_all(threading.Thread(target=client) for _ in range(CLIENTS))
        return self


def lives(server, folder: Path, path: Path | None, enough) -> tuple[int, int, int]:
    """Counts IDs, duplicates, and runs that never asked the store."""
    server.create_namespace("edge", layout="edge")
    states = folder / "states"
    states.mkdir()
    modules = os.pathsep.join(str(part) for part in (path, HERE) if part is not None)
    application = [*GUNICORN, "support.keeping:wsgi"]
    environment = {"LEAFID_STATE": f"{states}/", "PYTHONPATH": modules}
    ids, alone, duplicates = array("Q"), 0, 0
    with listening(*application, store=server.url, **environment) as (port, _):
        for _ in range(MOST):
            before = Answers().asked(port, 60)
            server.kill()
            for pid in before.pids:
                os.kill(pid, signal.SIGKILL)
            after = Answers().asked(port, ALONE_S)
            for pid in after.pids:
                os.kill(pid, signal.SIGKILL)
            server.start()
            ids += before.ids + after.ids
            alone += len(after.alone - before.pids)
            duplicates = len(ids) - len(set(ids))
            if enough(alone, duplicates):
                break
    files = sorted(file.name for file in states.glob("*.state"))
    print(f"{files}: {alone} lives without the store, {len(ids)} IDs, {duplicates} duplicates")
    return len(ids), duplicates, alone


def test_killed_workers_go_on_while_the_store_is_away(server, tmp_path) -> None:
    count, duplicates, alone = lives(server, tmp_path, None, lambda alone, _: alone >= ALONE)
    assert alone >= ALONE and count > 0 and duplicates == 0


def test_without_the_writes_something_is_given_twice(server, tmp_path, unguarded) -> None:
    _, duplicates, _ = lives(server, tmp_path, unguarded, lambda _, duplicates: duplicates > 0)
    assert duplicates > 0
