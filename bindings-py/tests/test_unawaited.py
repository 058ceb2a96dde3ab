"""A call that nobody awaits is warned of, as Python does for a coroutine."""

from __future__ import annotations

import asyncio
import gc
import warnings

import pytest

from leafid import Segment


@pytest.fixture
def orders(memory) -> Segment:
    return Segment("orders", memory)


@pytest.mark.parametrize(("verb", "args"), [
    ("anext", ()), ("atake", (3,)), ("aready", (1,)), ("arelease", ()), ("aclose", ()),
])  # fmt: skip
def test_a_forgotten_await_is_warned_of(orders, verb, args) -> None:
    with pytest.warns(RuntimeWarning, match=rf"`{verb}\(\)` was never awaited"):
        getattr(orders, verb)(*args)
        gc.collect()
    assert orders.next() == 1, "nothing was drawn"


def test_what_was_awaited_or_closed_is_not_warned_of(orders) -> None:
    async def draw() -> list[int]:
        async with orders:
            drawn = [await orders.anext(), *await orders.atake(2)]
            orders.anext().close()
            waiting = asyncio.ensure_future(orders.aready(1))
            await waiting
            return drawn

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert asyncio.run(draw()) == [1, 2, 3]
        gc.collect()


def test_a_warning_that_is_an_error_disturbs_nobody(orders, monkeypatch) -> None:
    told: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", lambda found: told.append(found.exc_value))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ZeroDivisionError):
            # It goes while an exception is on its way.
            (orders.anext(), 1 // 0)
        gc.collect()
    assert [type(error) for error in told] == [RuntimeWarning]
