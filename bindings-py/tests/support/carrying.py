"""Hooks into the transactions of stores over SQL."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from leafid._native import decide

# Runs the text of a name with parameters: returns the rows, and how many it found or wrote.
Run = Callable[[str, dict[str, Any]], tuple[list[dict[str, Any]], int]]


@contextmanager
def carried(act: Callable[[Run], Any]) -> Iterator[list[Any]]:
    """Calls `act` in the transaction of each request, before the request itself; yields its results."""
    given: list[Any] = []

    def beside(run: Run) -> Run:
        given.append(act(run))
        return run

    with carried_by(beside):
        yield given


@contextmanager
def before_each(act: Callable[[str, dict[str, Any]], Any]) -> Iterator[None]:
    """Calls `act` with each text and its parameters before they run."""

    def beside(run: Run) -> Run:
        return lambda text, params: (act(text, params), run(text, params))[1]

    with carried_by(beside):
        yield


@contextmanager
def carried_by(by: Callable[[Run], Run]) -> Iterator[None]:
    """Decides requests over the rows that another `run` reads and writes."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("database.database", "file.sqlite"):
            patch.setattr(f"leafid._sql.{module}.decide", lambda *asked: decide(*asked[:5], by(asked[5]), *asked[6:]))
        yield
