"""`examples/python-fastapi`, started as its page describes, with a real PostgreSQL, used over HTTP."""

import json
import os
import subprocess
import sys
import threading
from typing import Any

from leafid.public import Scrambler
from support.asking import ask
from support.ending import bound
from support.load import ended
from support.places import ROOT
from support.port import Port
from support.waiting import run_all, until

FOLDER = ROOT / "examples/python-fastapi"
KEY = "2b7e151628aed2a6abf7158809cf4f3c"


def told(port: int, method: str, path: str, body: object = None) -> tuple[int, Any]:
    status, _, text = ask(port, method, path, body)
    return status, json.loads(text)


def is_up(port: int) -> bool:
    try:
        return ask(port, "GET", "/orders/none")[0] == 404
    except OSError:
        return False


def test_it_runs(postgres, tmp_path) -> None:
    database = postgres.make()
    held = Port()
    port = held.number
    variables = {
        **os.environ,
        "DATABASE_URL": postgres.url(database).replace("postgres://", "postgresql://"),
        "ID_KEY": KEY,
        "PORT": str(port),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    log = tmp_path / "log"
    with log.open("w") as said:
        process = subprocess.Popen(
            [*bound(), sys.executable, "main.py"], cwd=FOLDER, env=variables, stdout=said, stderr=said
        )
    try:
        assert until(lambda: is_up(port) or process.poll() is not None, seconds=300), log.read_text()
        assert process.poll() is None, log.read_text()
        made: list[dict[str, str]] = []

        def order(client: int) -> None:
            for number in range(15):
                status, said = told(port, "POST", "/orders", {"name": f"{client}-{number}"})
                assert status == 201, said
                made.append(said)

        run_all(threading.Thread(target=order, args=(client,)) for client in range(6))
        assert len(made) == 90 == len({one["id"] for one in made})
        for one in made[:5]:
            assert told(port, "GET", f"/orders/{one['id']}") == (200, one)
        rows = postgres.run(database, "SELECT id, name FROM shop_orders")
        public = Scrambler(bytes.fromhex(KEY), "orders", prefix="order")
        assert {(public.decode(one["id"]), one["name"]) for one in made} == set(rows)
        status, said = told(port, "GET", f"/orders/{public.encode(10**9)}")
        assert status == 404 and "there is no order" in said["detail"]
        status, said = told(port, "GET", "/orders/invoice_11111111111")
        assert status == 404 and "does not begin with `order_`" in said["detail"]
    finally:
        in_order = ended(process)
        held.give_back()
        assert in_order, log.read_text()
