"""A store's tables in one process, over its own connection, which no forked child uses.

Connections are closed before a fork, so that a child inherits none: with SQLite, a child inherits the
record of the locks but not the locks, and with a database's connection it would use the parent's
session. Parent and child open another one when they need it.
"""

import logging
import os
import random
import threading
import time
import weakref
from abc import ABC, abstractmethod
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .. import errors
from .._native import Clock, note
from .making import Making

# The longest wait for a transaction, in s: less than the 3 s after which a holder gives up an ask.
PATIENCE = 2.0
# How long a request may wait until the store's servers have noted it, in s, and how often that is looked at.
_NOTED_WITHIN = 2.8
_LOOKS_EACH = (0.020, 0.050)
# How often a request is decided, if others are faster or the store went back.
_ATTEMPTS = 12


class Tables(ABC):
    """A store's tables in one process: one connection, made by the first transaction, made again if it is
    lost, and closed before the process forks."""

    # The store's id, once it was found.
    id: str | None = None
    # The folder in which this machine's processes note what was granted.
    journal: Path | None = None

    def __init__(self, place: str, clock: Clock | None, made: Making | None) -> None:
        # `made` has the values for a new store, where one may be created.
        self.place, self.clock, self.made = place, clock, made
        self.lock = threading.Lock()
        # The id of this store's record among the servers, while servers have to note what it wrote.
        self.guest = os.urandom(16)
        # Not while a process forks: a connection that is made meanwhile would be inherited.
        with _forks:
            _KEPT.add(self)

    def found(self) -> str:
        """The id of the store, which is opened if this is the first call."""
        with self.lock:
            return self.id or self._find()

    @abstractmethod
    def _find(self) -> str:
        """Finds the store, or creates it where that was asked for."""

    def decide(self, verb: str, ask: dict[str, Any]) -> Any:
        """Carries out a request: it is durable, and the journal and every server of the store have noted it, when
        this returns the answer, or the refusal."""
        end = time.monotonic() + _NOTED_WITHIN
        for _ in range(_ATTEMPTS):
            answer, waits, changes = self._turn(verb, ask)
            if changes and self.journal is not None:
                known = note(self.journal, str(self.id), changes)
                if known is not None:
                    self._raise(known)
                    continue
            if waits is None:
                return answer
            noted = self._noted(waits, end)
            if isinstance(noted, errors.LeafidError):
                return noted
            if noted:
                return answer
        raise errors.StoreUnavailableError(
            f"the rows of {self.place} lay below what was noted of them, again and again; ask again"
        )

    def _raise(self, known: str) -> None:
        """Raises rows to what the journal knows of them."""
        raised = self._turn("raise", {"known": known})[0]
        if isinstance(raised, errors.LeafidError):
            raise raised
        if raised["raised"]:
            # Looked up here and not at the import: `getLogger` takes the lock of `logging`, which a thread that forks
            # holds while it waits for imports.
            logging.getLogger("leafid").warning(
                "STORE_WENT_BACK: %s lacks what this machine was granted, as after a restore; %d of its rows were "
                "raised to the journal in %s, and nothing is granted twice",
                self.place,
                raised["raised"],
                self.journal,
            )

    def _noted(self, waits: dict[str, Any], end: float) -> bool | errors.LeafidError:
        """Waits until every server has noted a write; False if the request has to be decided again."""
        while True:
            time.sleep(random.uniform(*_LOOKS_EACH))
            ask = {**waits, "is_late": time.monotonic() >= end}
            found = self._turn("noted", ask, only_reads=True)[0]
            if isinstance(found, errors.LeafidError):
                return found
            if found["last"]:
                self._leave({"server": self.guest, "was_beat": waits["beat"]})
            if found["noted"] != "some":
                return bool(found["noted"] == "all")

    @abstractmethod
    def _turn(
        self, verb: str, ask: dict[str, Any], only_reads: bool = False
    ) -> tuple[Any, dict[str, Any] | None, str]:
        """Carries out a request in a transaction: returns the answer, or the refusal, what it waits for, and its
        changes for the journal."""

    @abstractmethod
    def _leave(self, own: dict[str, Any]) -> None:
        """Removes this store's record from among the servers; if it cannot, they drop it after a while."""

    @abstractmethod
    def close(self) -> None:
        """Closes the connection, with the lock held; the next transaction makes another."""

    def __del__(self) -> None:
        self.close()


def not_there(place: str, what: str) -> errors.LeafidError:
    return errors.StoreUnknownError(
        f"{place} {what}; to create a new store there: leafid init --store {place}, or pass "
        f"`create=True`; if there was one and it is lost, use instead: leafid init "
        f"--replaces-lost --store {place}, as a new store would hand out again what is in use"
    )


def other_version(shown: str, version: int, known: int) -> errors.LeafidError:
    return errors.SchemaMismatchError(
        f"{shown} has tables of version {version}, this program knows {known}; use the version of "
        "leafid that wrote them"
    )


_KEPT: weakref.WeakSet[Tables] = weakref.WeakSet()
# One thread forks at a time: the end of one fork would release the locks that another has taken. A hook of the
# application may make a store in the thread that forks.
_forks = threading.RLock()
_held = ExitStack()


def _before() -> None:
    _held.enter_context(_forks)
    for keeper in list(_KEPT):
        # A connection in use for longer stays open, but the child will not use it.
        if keeper.lock.acquire(timeout=2 * PATIENCE):
            _held.callback(keeper.lock.release)
            keeper.close()


def _after() -> None:
    # Taken out first: once the locks are free, another thread that forks adds its own.
    _held.pop_all().close()


def _after_in_child() -> None:
    global _forks
    # New locks: the thread that kept one locked does not exist in the child.
    _forks = threading.RLock()
    _held.pop_all()
    for keeper in list(_KEPT):
        keeper.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
