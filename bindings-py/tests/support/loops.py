"""Tests that run in an event loop of their own, in which nobody waits afterwards."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any

from leafid import _aio

Test = Callable[..., Awaitable[None]]


def in_asyncio(test: Test) -> Callable[..., None]:
    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        asyncio.run(test(**fixtures))
        assert not _aio._QUEUES

    return run


def in_trio(test: Test) -> Callable[..., None]:
    import trio

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        trio.run(functools.partial(test, **fixtures))
        assert not _aio._LINES

    return run
