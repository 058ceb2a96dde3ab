"""Ports that no other test uses."""

import fcntl
import itertools
import os
import socket
import tempfile
from pathlib import Path

# Never the last test's port: a leftover generator may still look for its store there.
_TURNS = itertools.count()


class Port:
    """A port of 127.0.0.1 reserved for one test, even while no server listens on it; the Rust suites do the
    same. It is below the ephemeral ports: a client that keeps trying one of *those* without a server
    ends up connected to itself."""

    def __init__(self) -> None:
        folder = Path(tempfile.gettempdir(), "leafid-ports")
        folder.mkdir(exist_ok=True)
        start = os.getpid() * 97
        for _ in range(6_000):
            self.number = 26_000 + (start + next(_TURNS) * 7) % 6_000
            try:
                self.lock = (folder / str(self.number)).open("a")
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                with socket.create_server(("127.0.0.1", self.number)):
                    return
            except OSError:
                continue
        raise AssertionError("no port is free between 26000 and 32000")

    def give_back(self) -> None:
        self.lock.close()
