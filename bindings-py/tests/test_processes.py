"""Web servers with many processes, `multiprocessing`, `concurrent.futures` and celery under load: no duplicates,
unlike a plain counter as the control, and no windows left behind."""

import json
import sys

import pytest

from support.load import asked, counted, gives_back, held, listening
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


@pytest.mark.parametrize("how", ["fork", "forkserver", "spawn", "executor", "processes", "celery"])
def test_a_pool(server, how) -> None:
    server.create_tag("orders", step=50)

    def run() -> int:
        answers = json.loads(python(HERE / "support/pooling.py", how, more={"LEAFID_STORE": server.url}))
        told = counted(answers)
        assert told["segment"] == told["snowflake"] == 0 < told["naive"]
        assert told["pids"] >= 2
        return told["pids"]

    assert gives_back(server, run)
