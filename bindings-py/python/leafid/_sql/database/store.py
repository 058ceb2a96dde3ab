"""The store in a database."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..clock import Clock, System
from ..file.sqlite import File
from ..store import Store
from ..turn import Turn
from .database import Database
from .link import InFile
from .source import source_of

T = TypeVar("T")


class SqlStore(Store):
    """A store in a PostgreSQL, MySQL or MariaDB database, without a server of leafid's: that of
    `leafid serve --store URL`, and a server may use it at the same time.

    `connect` makes a new DB-API 2 connection each time it is called (psycopg, PyMySQL, mysqlclient),
    or is a SQLAlchemy engine, or a URL. The connection is this store's own: one per process, closed
    when the process forks, and made again where it is lost. One of SQLite is opened as `sqlite:`.

    Without `create` the tables must be there: new ones would hand out again what lost ones have handed
    out. `workers` are the worker numbers of its namespace `default`, if this call makes them. With
    `tags="leaf_alloc"` Leaf's own table keeps the tags. A database that is set to forget what it
    answered is refused unless `allow_unsafe_settings`.
    """

    def __init__(
        self,
        connect: Callable[[], Any] | Any,
        *,
        create: bool = False,
        workers: tuple[int, int] | None = None,
        tags: str | None = None,
        allow_unsafe_settings: bool = False,
        clock: Clock | None = None,
        id: str | None = None,
    ) -> None:
        self._tables: Database | File
        try:
            if isinstance(connect, str) and connect.startswith("sqlite:"):
                raise InFile(connect.removeprefix("sqlite:"))
            database = Database(source_of(connect, tags), clock, allow_unsafe_settings)
            database.open(create, id, workers)
            self._tables, self._place = database, database.place
        except InFile as found:
            path = Path(os.path.abspath(str(found)))
            self._tables = File(path, clock or System(), create, id, workers)
            self._place = f"sqlite:{path}"

    @property
    def id(self) -> str:
        """Its id: 32 hex digits."""
        return str(self._tables.id)

    def close(self) -> None:
        """Closes the connection; the next call makes another."""
        with self._tables.lock:
            self._tables.close()

    def _decide(self, act: Callable[[Turn], T]) -> T:
        return self._tables.decide(act)

    def __repr__(self) -> str:
        return f"SqlStore({self._place!r})"
