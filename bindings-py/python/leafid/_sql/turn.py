"""A request in a transaction: what it wants is read, and what is decided on that is written if the rows
are as they were read. Every decision is the engine's."""

from collections.abc import Callable
from typing import Any

from .._native import Turn

Row = dict[str, Any]
# Carries out a text with parameters: the rows, and how many it found or wrote.
Run = Callable[[str, Row], tuple[list[Row], int]]
# How long a step of the clock is not believed, at most.
LONGEST_WINDOW = "SELECT coalesce(max(max_window_ms), 0) FROM namespaces"


class Conflict(Exception):
    """A row is not any more as it was read: what was decided on it counts for nothing."""


def carry(turn: Turn, run: Run) -> bool:
    """Reads and writes for a request; whether it wrote.

    `Conflict` if a row is not any more as it was read.
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
