"""Puts load on a web server, from many clients at once."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import leafid
from support.asking import ask
from support.ending import bound
from support.places import HERE
from support.waiting import run_all, until

KINDS = ("segment", "snowflake", "naive")
TRIES = 4


@contextmanager
def listening(*command: object, store: str, **environment: str) -> Iterator[tuple[int, subprocess.Popen]]:
    """Runs a server that inherits a socket as descriptor `{fd}`; yields its port and process. SIGTERM must
    end it."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        port, descriptor = held.getsockname()[1], held.fileno()
        words = [str(word).replace("{fd}", str(descriptor)) for word in [*bound(), *command]]
        variables = {**os.environ, "LEAFID_STORE": store, "PYTHONPATH": str(HERE), **environment}
        process = subprocess.Popen(
            words,
            pass_fds=[descriptor],
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.extend(process.stdout), daemon=True)
    reader.start()
    try:
        yield port, process
    finally:
        in_order = ended(process)
        reader.join(timeout=60)
        print("".join(said)[-2_000:])
        assert in_order, f"it did not end: {''.join(said)}"


def ended(process: subprocess.Popen) -> bool:
    """Whether a process ends by SIGTERM within a minute; otherwise it is killed."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=60)
        return False
    return True


def asked(port: int, clients: int, requests: int) -> list[dict]:
    """Sends requests and returns the answers. Every connection is new, so that any worker may get it."""
    answers: list[dict] = []

    def client() -> None:
        for _ in range(requests):
            status, _, text = ask(port)
            assert status == 200, text
            answers.append(json.loads(text))

    run_all(threading.Thread(target=client) for _ in range(clients))
    assert len(answers) == clients * requests, "a client failed"
    return answers


def counted(answers: list[dict]) -> dict[str, int]:
    """Counts the duplicates of each kind of ID, and the processes."""
    duplicates = {}
    for kind in KINDS:
        drawn = [id for answer in answers for id in answer[kind]]
        duplicates[kind] = len(drawn) - len(set(drawn))
    pids = len({answer["pid"] for answer in answers})
    print(f"{len(answers)} requests to {pids} processes, duplicates: {duplicates}")
    return {**duplicates, "pids": pids}


def held(server) -> int:
    """The number of windows with more than 2 s left."""
    now = int(time.time() * 1_000) - leafid.Layout.leaf.epoch_ms
    rows = server.workers()
    return sum(int(row["reserved_until"]) > now + 2_000 for row in rows)


def gives_back(server, run: Callable[[], int]) -> bool:
    """Whether the ended processes of a run gave their windows back at once, all but one if there were more
    than two; `run` returns their number. A process waits only up to a second for its releases, which may
    be too short on a busy machine: then there is another run."""
    for _ in range(TRIES):
        left = 1 if run() > 2 else 0
        if until(lambda: held(server) <= left, seconds=2):
            return True
        print(f"{held(server)} windows are held by nobody")
        assert until(lambda: held(server) == 0), "no window lasts for so long"
    return False
