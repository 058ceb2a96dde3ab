"""`SqliteStore`: a store in a file."""

from __future__ import annotations

import os

from ..._native import Clock
from ..making import Making
from ..store import Store
from .places import path_of
from .sqlite import File


class SqliteStore(Store):
    """A store in a file, for the processes of one machine, compatible with `leafid serve --store
    sqlite:PATH`.

    Any number of processes, forked children and a server may have it open at once. Without `create` the
    file must exist: a new one would hand out the numbers of a lost one again. `workers` is the range of
    worker numbers of its namespace `default`; if it has another range, `LayoutMismatchError` is raised.
    `journal` is a folder in which the processes of this machine note what they were granted, so that nothing is
    granted twice after an older state of the file is put back; by default that of `LEAFID_JOURNAL`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        workers: tuple[int, int] | None = None,
        journal: str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
        id: str | None = None,
    ) -> None:
        tables = File(path_of(path), clock, Making.wanted(create, id))
        super().__init__(tables, workers, journal)
        tables.found()
        self._make_wanted("create_namespace", "default")

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return self._tables.place.removeprefix("sqlite:")
