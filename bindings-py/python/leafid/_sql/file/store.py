"""The store in a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ... import errors
from ..clock import Clock, System
from ..store import Store
from ..turn import Turn
from .sqlite import File

T = TypeVar("T")


class SqliteStore(Store):
    """A store in a file, for the processes of one machine: that of `leafid serve --store
    sqlite:PATH`.

    Any number of processes and a server may have it open at once; forked children, too. Without
    `create` the file must be there: a new one would hand out again what a lost one has handed out.
    `workers` are the worker numbers of its namespace `default`, if this call makes the file.
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
        place = os.fspath(path).removeprefix("sqlite:")
        if not place:
            raise errors.RequestInvalidError("`sqlite:` needs a path, such as `sqlite:ids.db`")
        self._path = Path(os.path.abspath(place))
        self._place = f"sqlite:{self._path}"
        self._file = File(self._path, clock or System(), create, id, workers)

    @property
    def id(self) -> str:
        """Its id: 32 hex digits."""
        return self._file.id

    @property
    def path(self) -> str:
        """Where it is."""
        return str(self._path)

    def close(self) -> None:
        """Closes the file; the next call opens it again."""
        with self._file.lock:
            self._file.close()

    def _decide(self, act: Callable[[Turn], T]) -> T:
        return self._file.decide(act)

    def __repr__(self) -> str:
        return f"SqliteStore({str(self._path)!r})"
