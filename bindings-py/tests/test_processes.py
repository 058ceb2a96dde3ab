"""Web servers with many processes, `multiprocessing`, `concurrent.futures` and celery under load: no duplicates,
unlike a plain counter as the control, and no windows left behind."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from support.ending import bound, descendants, kill, stop
from support.load import TRIES, asked, counted, gives_back, held, listening
from support.places import HERE
from support.run import python
from support.waiting import until

GUNICORN = [sys.executable, "-m", "gunicorn", "-w", "4", "--bind", "fd://{fd}", "--log-level", "error", "support.web:wsgi"]
UVICORN = [sys.executable, "-m", "uvicorn", "--fd", "{fd}", "--log-level", "error", "support.web:asgi"]
UWSGI = [sys.executable, "-c", "import sys, pyuwsgi; pyuwsgi.run(sys.argv[1:])", "--http-socket", "fd://{fd}"]
UWSGI += ["--master", "--processes", "4", "--enable-threads", "--die-on-term", "--need-app", "--disable-logging"]
UWSGI += ["--module", "support.web:wsgi"]
# The command, how many of its processes must have answered, and its environment.
SERVERS: dict[str, tuple[list[str], int, dict[str, str]]] = {
    "gunicorn": (GUNICORN, 2, {}),
    "gunicorn that loads first": ([*GUNICORN, "--preload"], 2, {}),
    "gunicorn that inherits ranges": ([*GUNICORN, "--preload", "--threads", "3"], 2, {"DRAWN_BEFORE": "1"}),
    "gunicorn that replaces its workers": ([*GUNICORN, "--preload", "--max-requests", "20"], 5, {}),
    # It ends by the stopping signal, without Python's exit handlers: `lifespan` gives back.
    "uvicorn": (UVICORN, 1, {}),
    # On a busy machine a worker may answer its parent late.
    "uvicorn with workers": ([*UVICORN, "--workers", "4", "--timeout-worker-healthcheck", "60"], 2, {}),
    # Its workers end in C: uWSGI's own hook gives back.
    "uwsgi": (UWSGI, 2, {}),
    "uwsgi that loads late": ([*UWSGI, "--lazy-apps"], 2, {}),
    "uwsgi with threads": ([*UWSGI, "--threads", "3"], 2, {}),
}


@pytest.mark.parametrize("name", SERVERS)
def test_a_server(server, name) -> None:
    server.create_tag("orders", step=100, max_step=1_000)
    assert gives_back(server, lambda: loaded(server, *SERVERS[name]))


def loaded(server, command: list[str], workers: int, environment: dict[str, str]) -> int:
    """Puts a server under load; returns how many processes answered."""
    with listening(*command, store=server.url, **environment) as (port, _):
        answers = asked(port, clients=8, requests=40)
        # The first process to start may have answered all requests so far.
        while len({answer["pid"] for answer in answers}) < workers and len(answers) < 5_000:
            answers += asked(port, clients=8, requests=10)
        told = counted(answers)
        # The last processes to answer may have been replaced: another request makes one hold a window.
        holding = until(lambda: asked(port, clients=1, requests=1) and held(server) > 0)
        assert holding, "the control of the line below"
    assert told["segment"] == told["snowflake"] == 0
    assert told["pids"] >= workers
    if workers > 1:
        assert told["naive"] > 0, "the counter that knows no processes found none"
    return told["pids"]


@pytest.mark.parametrize("how", ["fork", "forkserver", "spawn", "executor", "processes"])
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
from celery import Celery
from support import web
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
import json, tasks
sent = [tasks.draw.delay() for _ in range(40)]
print("sent", flush=True)
print(json.dumps([result.get(timeout=200, interval=0.05) for result in sent]))
"""


def test_celery(server, tmp_path) -> None:
    server.create_tag("orders", step=50)
    folders = (tmp_path / str(number) for number in range(TRIES))
    assert any(in_celery(server, folder) for folder in folders)


def in_celery(server, folder: Path) -> bool:
    """Whether the replaced children of a celery worker gave their windows back. The worker is then killed:
    its orderly end may wait for ever for a lock that a killed child held."""
    assert until(lambda: held(server) == 0), "no window lasts for so long"
    for name in ("broker", "done", "results"):
        (folder / name).mkdir(parents=True)
    (folder / "tasks.py").write_text(TASKS)
    variables = {**os.environ, "LEAFID_STORE": server.url, "PYTHONPATH": f"{folder}:{HERE}"}
    command = [*bound(), sys.executable, "-m", "celery", "-A", "tasks", "worker", "-P", "prefork", "-c", "4"]
    command += ["--max-tasks-per-child", "5", "-l", "warning", "--without-gossip", "--without-mingle"]
    started: list[subprocess.Popen] = []
    with (folder / "log").open("w+") as log:
        start = partial(subprocess.Popen, cwd=folder, env=variables, stderr=log, text=True)
        try:
            sender = start([*bound(), sys.executable, "-c", SEND], stdout=subprocess.PIPE)
            started.append(sender)
            # All tasks are sent first: a worker would take a task whose file is not complete, and lose it.
            assert sender.stdout.readline() == "sent\n"
            worker = start(command, stdout=log)
            started.append(worker)
            answers, _ = sender.communicate(timeout=300)
            assert sender.returncode == 0, log.seek(0) or log.read()
            told = counted(json.loads(answers))
            # The worker and its four children hold one window each.
            gave_back = until(lambda: held(server) <= 5, seconds=2)
        finally:
            for process in started:
                if process.poll() is None:
                    # Stopped first: a running worker could replace a child between the listing and the kill.
                    stop(process.pid)
                    kill([*descendants(process.pid), process.pid])
                    process.wait(timeout=60)
    assert told["segment"] == told["snowflake"] == 0 < told["naive"]
    assert told["pids"] > 5, "children were replaced"
    return gave_back
