"""Hooks into the transactions of stores over SQL."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from leafid._sql.turn import Run, carry


@contextmanager
def carried(act: Callable[[Run], Any]) -> Iterator[list[Any]]:
    """Calls `act` in the transaction of each request, before the request itself; yields its results."""
    given: list[Any] = []

    def beside(turn: Any, run: Run) -> bool:
        given.append(act(run))
        return carry(turn, run)

    with carried_by(beside):
        yield given


@contextmanager
def before_each(act: Callable[[str, dict[str, Any]], Any]) -> Iterator[None]:
    """Calls `act` with each text and its parameters before they run."""

    def beside(turn: Any, run: Run) -> bool:
        def then(text: str, params: dict[str, Any]) -> tuple[list[dict[str, Any]], int]:
            act(text, params)
            return run(text, params)

        return carry(turn, then)

    with carried_by(beside):
        yield


@contextmanager
def carried_by(by: Callable[[Any, Run], bool]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("database.database", "file.sqlite"):
            patch.setattr(f"leafid._sql.{module}.carry", by)
        yield
