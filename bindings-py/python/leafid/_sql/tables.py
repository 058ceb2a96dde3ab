"""A store's tables in one process, over its own connection, which no forked child uses.

Connections are closed before a fork, so that a child inherits none: with SQLite, a child inherits the
record of the locks but not the locks, and with a database's connection it would use the parent's
session. Parent and child open another one when they need it.
"""

import os
import threading
import weakref
from abc import ABC, abstractmethod
from typing import Any

from .._native import Clock
from .making import Making

# The longest wait for a transaction, in s: less than the 3 s after which a holder gives up an ask.
PATIENCE = 2.0


class Tables(ABC):
    """A store's tables in one process: one connection, made by the first transaction, made again if it is
    lost, and closed before the process forks."""

    # The store's id, once it was found.
    id: str | None = None

    def __init__(self, place: str, clock: Clock | None, made: Making | None) -> None:
        # `made` has the values for a new store, where one may be created.
        self.place, self.clock, self.made = place, clock, made
        self.lock = threading.Lock()
        _KEPT.add(self)

    def found(self) -> str:
        """The id of the store, which is opened if this is the first call."""
        with self.lock:
            return self.id or self._find()

    @abstractmethod
    def _find(self) -> str:
        """Finds the store, or creates it where that was asked for."""

    @abstractmethod
    def decide(self, verb: str, ask: dict[str, Any]) -> Any:
        """Carries out a request in a transaction: it is durable when this returns the answer, or the refusal."""

    @abstractmethod
    def close(self) -> None:
        """Closes the connection, with the lock held; the next transaction makes another."""

    def __del__(self) -> None:
        self.close()


_KEPT: weakref.WeakSet[Tables] = weakref.WeakSet()
_LOCKED: list[Tables] = []


def _before() -> None:
    for keeper in list(_KEPT):
        # A connection in use for longer stays open, but the child will not use it.
        if keeper.lock.acquire(timeout=2 * PATIENCE):
            _LOCKED.append(keeper)
            keeper.close()


def _after() -> None:
    while _LOCKED:
        _LOCKED.pop().lock.release()


def _after_in_child() -> None:
    # New locks: the thread that kept one locked does not exist in the child.
    _LOCKED.clear()
    for keeper in list(_KEPT):
        keeper.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
