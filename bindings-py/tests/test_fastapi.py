"""`leafid.fastapi` in a real application, started and ended more than once."""

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import Annotated

import pytest
from fastapi import Depends, FastAPI
from fastapi.testclient import TestClient
from pydantic import BaseModel

import leafid
from leafid.fastapi import lifespan, next_id
from leafid.pydantic import Id
from support.load import held
from support.waiting import until


class Order(BaseModel):
    id: Id
    event: Id


def application(orders, events, **how) -> FastAPI:
    app = FastAPI(lifespan=lifespan(orders, events, **how))

    @app.post("/orders")
    async def create(
        id: Annotated[int, Depends(next_id(orders))],
        event: Annotated[int, Depends(next_id(events))],
    ) -> Order:
        return Order(id=id, event=event)

    @app.get("/orders/{id}")
    async def find(id: Id) -> Order:
        return Order(id=id, event=0)

    return app


def test_an_application_that_starts_twice(server) -> None:
    server.create_tag("orders")
    # A window of ten minutes, longer than any wait here.
    orders, events = leafid.Segment("orders", server.url), leafid.Snowflake(store=server.url, length=600)
    app = application(orders, events)
    seen = []
    for _ in range(2):
        with TestClient(app) as client:
            assert orders.stats().in_hand > 0, "at hand before the first request"
            for _ in range(5):
                order = client.post("/orders").json()
                assert isinstance(order["id"], str)
                seen.append((int(order["id"]), int(order["event"])))
            assert client.get(f"/orders/{2**60 + 1}").json()["id"] == str(2**60 + 1)
            assert client.get("/orders/01").status_code == 422
            assert held(server) == 1
        assert until(lambda: held(server) == 0), "given back at the end"
    assert seen == sorted(set(seen)) and len(seen) == 10
    schema = app.openapi()["components"]["schemas"]["Order"]["properties"]["id"]
    assert schema["type"] == "string"
    orders.close(), events.close()


def test_a_store_that_is_away_keeps_nobody_from_starting(caplog) -> None:
    caplog.set_level(logging.WARNING, logger="leafid")
    nowhere = "http://127.0.0.1:9"
    orders, events = leafid.Segment("orders", nowhere), leafid.Snowflake(store=nowhere)
    with TestClient(application(orders, events, wait=0.05)) as client:
        assert client.get("/orders/1").status_code == 200
    told = [record.getMessage() for record in caplog.records]
    assert any('Segment("orders") has no ID yet' in line for line in told), told


def test_an_unknown_tag_is_told_at_the_start(server) -> None:
    orders, events = leafid.Segment("none", server.url), leafid.Snowflake(store=server.url)
    with pytest.raises(leafid.TagUnknownError, match="leafid tag create none"):
        with TestClient(application(orders, events)):
            pass
    assert held(server) == 0


def test_within_a_lifespan_of_ones_own(memory) -> None:
    ids = leafid.Segment("orders", memory)
    order = []

    @asynccontextmanager
    async def own(app):
        async with lifespan(ids)(app):
            order.append(ids.next())
            yield

    async def main() -> None:
        async with own(None):
            order.append(await next_id(ids)())

    asyncio.run(main())
    assert order == [1, 2]
