"""A request in a transaction: reads rows, lets the engine decide, and writes if the rows have not changed
since."""

from collections.abc import Callable
from typing import Any

from .._native import Turn

Row = dict[str, Any]
# Runs the text of a name with parameters: returns the rows, and how many it found or wrote.
Run = Callable[[str, Row], tuple[list[Row], int]]


class Conflict(Exception):
    """A row has changed since it was read: the decision on it is not valid."""


def carry(turn: Turn, run: Run) -> bool:
    """Reads and writes for a request; returns whether it wrote.

    Raises `Conflict` if a row has changed since it was read.
    """
    while asked := turn.reads():
        turn.learn([run(text, params)[0] for text, params in asked])
    wrote = False
    for what, (text, params) in turn.steps():
        rows, count = run(text, params)
        wrote = wrote or what != "find"
        if (what == "find" and not rows) or (what == "write" and count < 1):
            raise Conflict
    return wrote
