"""What keeps a connection, in a process that forks.

It is closed before, so that a child inherits none: SQLite keeps its locks in memory that a child
inherits and locks that it does not, and of a database's connection the child would speak in the
parent's session. Both open another one when they need it.
"""

import os
import threading
import weakref
from typing import Protocol

# How long to wait for a transaction, in s: less than the 3 s after which a holder counts its ask as
# lost.
PATIENCE = 2.0


class Keeper(Protocol):
    """What is closed before a fork."""

    lock: threading.Lock

    def close(self) -> None:
        """Closes its connection, by whoever has the lock."""


_KEEPERS: weakref.WeakSet[Keeper] = weakref.WeakSet()
_LOCKED: list[Keeper] = []


def keep(keeper: Keeper) -> None:
    """From now on it is closed before this process forks."""
    _KEEPERS.add(keeper)


def _before() -> None:
    for keeper in list(_KEEPERS):
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
    for keeper in list(_KEEPERS):
        keeper.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
