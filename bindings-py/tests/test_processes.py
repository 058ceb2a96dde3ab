"""Servers of many processes, as they are run, `multiprocessing`, `concurrent.futures` and celery: no duplicate under
load, beside a counter that has many, and no window that nobody holds."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.ending import bound, descendants, kill, runs
from support.load import asked, counted, gives_back, held, listening
from support.places import HERE
from support.run import python
from support.waiting import until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
GUNICORN = [sys.executable, "-m", "gunicorn", "-w", "4", "--bind", "fd://{fd}", "--log-level", "error"]
UWSGI = "import sys, pyuwsgi; pyuwsgi.run(sys.argv[1:])"
UVICORN = [sys.executable, "-m", "uvicorn", "--fd", "{fd}", "--log-level", "error"]


def check(server, *command: object, workers: int = 4, **environment: str) -> None:
    server.create_tag("orders", step=100, max_step=1_000)
    assert gives_back(server, lambda: loaded(server, command, workers, environment))


def loaded(server, command, workers: int, environment: dict[str, str]) -> int:
    """How many processes answered."""
    with listening(*command, store=server.url, **environment) as (port, _):
        answers = asked(port, clients=8, requests=40)
        # One that was up first may have answered all of these.
        while len({answer["pid"] for answer in answers}) < workers and len(answers) < 5_000:
            answers += asked(port, clients=8, requests=10)
        told = counted(answers)
        # Those that answered last may have been replaced: one that answers now holds a window.
        holding = until(lambda: asked(port, clients=1, requests=1) and held(server) > 0)
        assert holding, "the control of the line below"
    assert told["segment"] == told["snowflake"] == 0
    assert told["pids"] >= workers
    if workers > 1:
        assert told["naive"] > 0, "the counter that knows no processes found none"
    return told["pids"]


@pytest.mark.parametrize("preload", [[], ["--preload"]], ids=["", "preload"])
def test_gunicorn(server, preload) -> None:
    check(server, *GUNICORN, *preload, "support.web:wsgi", workers=2)


def test_gunicorn_that_inherits_ranges(server) -> None:
    command = [*GUNICORN, "--preload", "--threads", "3", "support.web:wsgi"]
    check(server, *command, workers=2, DRAWN_BEFORE="1")


def test_gunicorn_that_replaces_its_workers(server) -> None:
    command = [*GUNICORN, "--preload", "--max-requests", "20", "support.web:wsgi"]
    check(server, *command, workers=5)


def test_uvicorn_that_is_stopped_by_a_signal(server) -> None:
    """It ends by the signal again, and nothing of Python runs then: `lifespan` gives back."""
    check(server, *UVICORN, "support.web:asgi", workers=1)


def test_uvicorn_with_workers(server) -> None:
    # A busy machine may need a while until a worker answers its parent.
    patience = ["--timeout-worker-healthcheck", "60"]
    check(server, *UVICORN, "--workers", "4", *patience, "support.web:asgi", workers=2)


@pytest.mark.parametrize("lazy", [[], ["--lazy-apps"], ["--threads", "3"]], ids=["", "lazy", "threads"])
def test_uwsgi(server, lazy) -> None:
    """Its workers end in C: the hook of its own gives back."""
    command = [sys.executable, "-c", UWSGI, "--http-socket", "fd://{fd}"]
    command += ["--master", "--processes", "4", "--enable-threads", "--die-on-term", "--module"]
    command += ["support.web:wsgi", "--need-app", "--disable-logging", *lazy]
    check(server, *command, workers=2)


HOWS = ["fork", "forkserver", "spawn", "executor", "processes"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("how", HOWS)
def test_a_pool(server, how) -> None:
    server.create_tag("orders", step=50)

    def run() -> int:
        answers = json.loads(python(HERE / "support/pooling.py", how, more={"LEAFID_STORE": server.url}))
        told = counted(answers)
        assert told["segment"] == told["snowflake"] == 0 < told["naive"]
        assert told["pids"] >= 2
        return told["pids"]

    assert gives_back(server, run)


TASKS = """
import faulthandler, signal
from celery import Celery
from support import web
faulthandler.register(signal.SIGWINCH, all_threads=False)
web.orders.next(), web.events.next()
places = {"polling_interval": 0.05, "data_folder_in": "broker", "data_folder_out": "broker", "processed_folder": "done"}
app = Celery("tasks", broker="filesystem://")
app.conf.update(broker_transport_options=places, result_backend="file://results",
                worker_prefetch_multiplier=1, broker_connection_retry_on_startup=True)

@app.task
def draw():
    return web.draw()
"""
SEND = """
import json, sys, tasks
sent = [tasks.draw.delay() for _ in range(40)]
print(json.dumps([result.get(timeout=200, interval=0.05) for result in sent]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_celery(server, tmp_path) -> None:
    server.create_tag("orders", step=50)
    folders = itertools.count()

    def run() -> int:
        folder = tmp_path / str(next(folders))
        folder.mkdir()
        return in_celery(server, folder)

    assert gives_back(server, run)


def waits_for_a_task(child: int, log: Path) -> bool:
    """Whether a child of celery reads the queue of its pool, as its stack says."""
    before = len(log.read_text())
    os.kill(child, signal.SIGWINCH)
    return until(lambda: "in get_payload" in log.read_text()[before:], seconds=10)


def in_celery(server, folder: Path) -> int:
    """How many processes a worker of celery had."""
    for name in ("broker", "done", "results"):
        (folder / name).mkdir()
    (folder / "tasks.py").write_text(TASKS)
    variables = {**os.environ, "LEAFID_STORE": server.url, "PYTHONPATH": f"{folder}:{HERE}"}
    command = [*bound(), sys.executable, "-m", "celery", "-A", "tasks", "worker", "-P", "prefork", "-c", "4"]
    command += ["--max-tasks-per-child", "5", "-l", "warning", "--without-gossip", "--without-mingle"]
    log = folder / "log"
    with log.open("w") as said:
        worker = subprocess.Popen(command, cwd=folder, env=variables, stdout=said, stderr=said)
        try:
            done = subprocess.run(
                [sys.executable, "-c", SEND],
                cwd=folder,
                env=variables,
                capture_output=True,
                text=True,
                timeout=300,
            )
            assert done.returncode == 0, done.stderr + log.read_text()
            worker.terminate()
            if not until(lambda: worker.poll() is not None):
                # Billiard sends an end to as many children as it counts, and may replace one meanwhile:
                # then one waits for a task, and it for that child (2 of 360 runs). Its windows run out.
                below = [child for child in descendants(worker.pid) if runs(child)]
                assert any(waits_for_a_task(child, log) for child in below), log.read_text()
                kill(below)
        finally:
            if worker.poll() is None:
                worker.kill()
                worker.wait(timeout=60)
    told = counted(json.loads(done.stdout))
    assert told["segment"] == told["snowflake"] == 0 < told["naive"]
    assert told["pids"] > 4, "children were replaced"
    return told["pids"]
