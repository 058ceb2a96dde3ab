"""Servers of many processes, as they are run: no duplicate under load, beside a counter that has
many, and every window given back at the end."""

from __future__ import annotations

import os
import sys

import pytest

from support.load import asked, counted, gives_back, held, listening
from support.places import HERE
from support.waiting import until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
GUNICORN = [sys.executable, "-m", "gunicorn", "-w", "4", "--bind", "fd://{fd}", "--log-level", "error"]
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
    command = [sys.executable, HERE / "support/uwsgi.py", "--http-socket", "fd://{fd}"]
    command += ["--master", "--processes", "4", "--enable-threads", "--die-on-term", "--module"]
    command += ["support.web:wsgi", "--need-app", "--disable-logging", *lazy]
    check(server, *command, workers=2)
