"""`multiprocessing`, `concurrent.futures` and celery: no duplicate, and no window that nobody holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from support.load import counted, held, is_free
from support.places import HERE
from support.run import python

HOWS = ["fork", "forkserver", "spawn", "executor", "processes"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("how", HOWS)
def test_a_pool(server, how) -> None:
    server.create_tag("orders", step=50)
    answers = json.loads(python(HERE / "support/pooling.py", how, server.url))
    told = counted(answers)
    assert told["segment"] == told["snowflake"] == 0 < told["naive"]
    assert told["pids"] >= 2
    assert is_free(server, told["pids"]), f"{held(server)} of {told['pids']} windows are held by nobody"


def test_a_child_that_ends_otherwise_holds_its_window(server) -> None:
    """The control: a bare `os.fork` that ends by `os._exit`."""
    python("-c", BARE, server.url)
    assert held(server) == 1


BARE = """
import leafid, os, sys, warnings, multiprocessing.util
warnings.simplefilter("ignore")
ids = leafid.Snowflake(store=sys.argv[1])
if os.fork() == 0:
    ids.next()
    os._exit(0)
os.wait()
"""

TASKS = """
import itertools, os, leafid
from celery import Celery
orders = leafid.Segment("orders", timeout=30)
events = leafid.Snowflake(timeout=30)
naive = itertools.count(1)
orders.next(), events.next()
places = {"polling_interval": 0.05, "data_folder_in": "broker", "data_folder_out": "broker", "processed_folder": "done"}
app = Celery("tasks", broker="filesystem://")
app.conf.update(broker_transport_options=places, result_backend="file://results",
                worker_prefetch_multiplier=1, broker_connection_retry_on_startup=True)

@app.task
def draw():
    counted = [next(naive) for _ in range(20)]
    drawn = {"segment": orders.take(20), "snowflake": events.take(20), "naive": counted}
    return {"pid": os.getpid(), **drawn}
"""
SEND = """
import json, sys, tasks
sent = [tasks.draw.delay() for _ in range(40)]
print(json.dumps([result.get(timeout=200, interval=0.05) for result in sent]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_celery(server, tmp_path) -> None:
    server.create_tag("orders", step=50)
    for folder in ("broker", "done", "results"):
        (tmp_path / folder).mkdir()
    (tmp_path / "tasks.py").write_text(TASKS)
    variables = {**os.environ, "LEAFID_STORE": server.url, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "celery", "-A", "tasks", "worker", "-P", "prefork", "-c", "4"]
    command += ["--max-tasks-per-child", "5", "-l", "warning", "--without-gossip", "--without-mingle"]
    log = tmp_path / "log"
    with log.open("w") as said:
        worker = subprocess.Popen(command, cwd=tmp_path, env=variables, stdout=said, stderr=said)
        try:
            done = subprocess.run(
                [sys.executable, "-c", SEND],
                cwd=tmp_path,
                env=variables,
                capture_output=True,
                text=True,
                timeout=300,
            )
            assert done.returncode == 0, done.stderr + log.read_text()
            worker.terminate()
            worker.wait(timeout=300)
        finally:
            if worker.poll() is None:
                worker.kill()
                worker.wait()
    told = counted(json.loads(done.stdout))
    assert told["segment"] == told["snowflake"] == 0 < told["naive"]
    assert told["pids"] > 4, "children were replaced"
    assert is_free(server, told["pids"]), f"{held(server)}\n{log.read_text()}"
