"""The tables of a store as one process has them: over a connection of its own, which no fork inherits.

Connections are closed before a fork, so that a child inherits none: SQLite keeps its locks in memory that a child
inherits and locks that it does not, and of a database's connection the child would speak in the
parent's session. Both open another one when they need it.
"""

import os
import threading
import weakref
from abc import ABC, abstractmethod
from typing import Any

from .._native import Clock
from .making import Making

# How long to wait for a transaction, in s: less than the 3 s after which a holder counts its ask as
# lost.
PATIENCE = 2.0


class Tables(ABC):
    """The tables of a store in one process: one connection, made by the first transaction, made again
    where it was lost, and closed before the process forks."""

    # Of the store, once it was found.
    id: str | None = None

    def __init__(self, place: str, clock: Clock | None, made: Making | None) -> None:
        # `made` is what a store is made with where there is none.
        self.place, self.clock, self.made = place, clock, made
        self.lock = threading.Lock()
        _KEPT.add(self)

    def found(self) -> str:
        """The id of the store, which is looked for now if nobody has asked for anything yet."""
        with self.lock:
            return self.id or self._find()

    @abstractmethod
    def _find(self) -> str:
        """Finds the store, or makes it where that is asked for."""

    @abstractmethod
    def decide(self, verb: str, ask: dict[str, Any]) -> Any:
        """Has a request decided in a transaction: it is durable when this returns."""

    @abstractmethod
    def close(self) -> None:
        """Closes the connection, by whoever has the lock; the next transaction makes another."""

    def __del__(self) -> None:
        self.close()


_KEPT: weakref.WeakSet[Tables] = weakref.WeakSet()
_LOCKED: list[Tables] = []


def _before() -> None:
    for keeper in list(_KEPT):
        # One that is in use for longer stays open, and a child does not use it.
        if keeper.lock.acquire(timeout=2 * PATIENCE):
            _LOCKED.append(keeper)
            keeper.close()


def _after() -> None:
    while _LOCKED:
        _LOCKED.pop().lock.release()


def _after_in_child() -> None:
    # Whoever held one that was waited for in vain is not here, and never gives it back.
    _LOCKED.clear()
    for keeper in list(_KEPT):
        keeper.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
