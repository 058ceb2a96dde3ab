"""The store in a file."""

from __future__ import annotations

import os
from typing import Any

from ..clock import Clock, System
from ..making import Making
from ..store import Store
from .places import path_of
from .sqlite import File


class SqliteStore(Store):
    """A store in a file, for the processes of one machine: that of `leafid serve --store
    sqlite:PATH`.

    Any number of processes and a server may have it open at once; forked children, too. Without
    `create` the file must be there: a new one would hand out again what a lost one has handed out.
    `workers` are the worker numbers of its namespace `default`: with others that is
    `LayoutMismatchError`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        workers: tuple[int, int] | None = None,
        clock: Clock | None = None,
        id: str | None = None,
    ) -> None:
        self._at(path, clock, Making.wanted(create, id))
        self._declare(workers)
        self._file.found()
        self._make_wanted("create_namespace", "default")

    def _at(
        self, path: str | os.PathLike[str], clock: Clock | None, made: Making | None
    ) -> SqliteStore:
        super().__init__(made)
        self._path = path_of(path)
        self._file = File(self._path, clock or System(), made)
        return self

    @property
    def id(self) -> str:
        """Its id: 32 hex digits."""
        return self._file.found()

    @property
    def path(self) -> str:
        """Where it is."""
        return str(self._path)

    @classmethod
    def unopened(cls, path: str, made: Making | None) -> SqliteStore:
        """One that opens its file with the first call."""
        return cls.__new__(cls)._at(path, None, made)

    def close(self) -> None:
        """Closes the file; the next call opens it again."""
        with self._file.lock:
            self._file.close()

    @property
    def _place(self) -> str:
        return self._file.place

    def _carry(self, verb: str, ask: dict[str, Any]) -> Any:
        return self._file.decide(verb, ask)

    def __repr__(self) -> str:
        return f"SqliteStore({str(self._path)!r})"
