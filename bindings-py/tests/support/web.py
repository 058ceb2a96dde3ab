"""A web application whose generators are made before the workers fork. It answers with IDs, and with
numbers of a plain counter, the control. Pools draw from it as well.

    gunicorn --preload support.web:wsgi          uvicorn support.web:asgi
"""

import itertools
import json
import os
from typing import Any

import leafid
from leafid.fastapi import lifespan

orders = leafid.Segment("orders", timeout=20)
events = leafid.Snowflake(timeout=20)
naive = itertools.count(1)
EACH = 20
if os.environ.get("DRAWN_BEFORE"):
    # Draws, so that the workers inherit ranges in hand.
    orders.take(5), events.take(5)


def told(numbers: list[int], stamps: list[int]) -> dict[str, Any]:
    counted = [next(naive) for _ in range(EACH)]
    return {"pid": os.getpid(), "segment": numbers, "snowflake": stamps, "naive": counted}


def draw(_task: object = None) -> dict[str, Any]:
    return told(orders.take(EACH), events.take(EACH))


def wsgi(_environ, start_response):
    text = json.dumps(draw()).encode()
    start_response("200 OK", [("Content-Type", "application/json")])
    return [text]


async def asgi(scope, receive, send) -> None:
    if scope["type"] == "lifespan":
        await receive()
        async with lifespan(orders, events)(None):
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    text = json.dumps(told(await orders.atake(EACH), await events.atake(EACH))).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": text})
