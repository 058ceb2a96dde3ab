"""`SqliteStore`: a store in a file; `SqlStore`: a store in a database."""

import os
from collections.abc import Callable
from typing import Any

from .._native import Clock
from .database.database import UNKNOWN, Database
from .database.source import Source, source_of
from .file.places import path_of
from .file.sqlite import File
from .making import Making
from .store import Store
from .tables import Tables


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


class SqlStore(Store):
    """A store in a PostgreSQL, MySQL or MariaDB database, without a leafid server. It is compatible with
    `leafid serve --store URL`, which may use it at the same time.

    `connect` makes a new DB-API 2 connection each time it is called (psycopg, PyMySQL, mysqlclient),
    or is a SQLAlchemy engine, or a URL. The connection is this store's own: one per process, made by the
    first call that needs it, closed when the process forks, and made again if it is lost. An engine of
    SQLite is opened as `sqlite:`.

    Without `create` the tables must exist: new ones would hand out the numbers of lost ones again.
    `workers` is the range of worker numbers of its namespace `default`; if it has another range, its
    first use raises `LayoutMismatchError`. `journal` is a folder in which the processes of this machine note what
    they were granted, so that nothing is granted twice after the database was put back; by default that of
    `LEAFID_JOURNAL`. With `tags="leaf_alloc"` Leaf's own table keeps the tags. A
    database whose settings may lose grants is refused unless `allow_unsafe_settings`.
    """

    def __init__(
        self,
        connect: Callable[[], Any] | Any,
        *,
        create: bool = False,
        workers: tuple[int, int] | None = None,
        tags: str | None = None,
        journal: str | os.PathLike[str] | None = None,
        allow_unsafe_settings: bool = False,
        clock: Clock | None = None,
        id: str | None = None,
    ) -> None:
        made, source = Making.wanted(create, id), source_of(connect, tags)
        if isinstance(source, Source):
            tables: Tables = Database(source, clock, allow_unsafe_settings, made)
        else:
            tables = File(source, clock, made)
        super().__init__(tables, workers, journal)

    @property
    def place(self) -> str:
        """The place of the store in the form of a command's `--store`, without a password."""
        # The target of a function's connections is known after the first one.
        if self._tables.place == UNKNOWN:
            self.id  # noqa: B018
        return self._tables.place
