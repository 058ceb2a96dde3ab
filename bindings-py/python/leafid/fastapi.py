"""FastAPI and Starlette: generators that start and end with the application.

    orders = Segment("orders")
    app = FastAPI(lifespan=lifespan(orders))

    @app.post("/orders")
    async def create(id: Annotated[int, Depends(next_id(orders))]): ...
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from . import Generator, TimedOutError

__all__ = ["lifespan", "next_id"]

_LOG = logging.getLogger("leafid")


def lifespan(
    *ids: Generator, wait: float = 3.0
) -> Callable[[Any], AbstractAsyncContextManager[None]]:
    """A `lifespan=` for an application: at its start an ID is at hand, at its end windows are given back.

    Without it they are not: uvicorn ends by the signal that stopped it, without Python's exit handlers.
    While the store is away, the start waits for up to `wait` seconds, then the application starts all the
    same. Errors that waiting cannot cure, such as an unknown tag, are raised. In your own lifespan:
    `async with lifespan(orders)(app): …`.
    """

    @asynccontextmanager
    async def running(_app: Any) -> AsyncGenerator[None]:
        for each in ids:
            try:
                await each.aready(1, timeout=wait)
            except TimedOutError as error:
                _LOG.warning("%r has no ID yet: %s", each, error)
        try:
            yield
        finally:
            for each in ids:
                await each.arelease()

    return running


def next_id(ids: Generator) -> Callable[[], Awaitable[int]]:
    """A dependency that gives the next ID: `id: Annotated[int, Depends(next_id(orders))]`."""

    async def next_id() -> int:
        return await ids.anext()

    return next_id
