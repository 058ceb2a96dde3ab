"""The store in a file."""

from __future__ import annotations

import os

from ..._native import Clock
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
        tables = File(path_of(path), clock, Making.wanted(create, id))
        super().__init__(tables, workers)
        tables.found()
        self._make_wanted("create_namespace", "default")

    @property
    def path(self) -> str:
        """Where it is."""
        return self._place.removeprefix("sqlite:")
