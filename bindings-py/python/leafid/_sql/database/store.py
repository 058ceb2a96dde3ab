"""The store in a database."""

from collections.abc import Callable
from typing import Any

from ..._native import Clock
from ..file.places import path_of
from ..file.sqlite import File
from ..making import Making
from ..store import Store, T
from ..tables import Tables
from .database import UNKNOWN, Database
from .link import InFile
from .source import source_of


class SqlStore(Store):
    """A store in a PostgreSQL, MySQL or MariaDB database, without a server of leafid's: that of
    `leafid serve --store URL`, and a server may use it at the same time.

    `connect` makes a new DB-API 2 connection each time it is called (psycopg, PyMySQL, mysqlclient),
    or is a SQLAlchemy engine, or a URL. The connection is this store's own: one per process, made by
    the first call that needs it, closed when the process forks, and made again where it is lost. One
    of SQLite is opened as `sqlite:`.

    Without `create` the tables must be there: new ones would hand out again what lost ones have handed
    out. `workers` are the worker numbers of its namespace `default`, whose first use is otherwise
    `LayoutMismatchError`. With `tags="leaf_alloc"` Leaf's own table keeps the tags. A database that is set to forget what it
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
        made = Making.wanted(create, id)
        tables: Tables
        if isinstance(connect, str) and connect.startswith("sqlite:"):
            tables = File(path_of(connect), clock, made)
        else:
            tables = Database(source_of(connect, tags), clock, allow_unsafe_settings, made)
        super().__init__(tables, workers)

    @property
    def place(self) -> str:
        """Where it is, as `--store` of a command takes it, without a password."""
        # Where a function's connections lead is known once there is one.
        if self._place == UNKNOWN:
            self.id  # noqa: B018
        return self._place

    def _make_where_missing(self, made: Making) -> None:
        """As if it had been opened with `create`, unless it is open already."""
        self._tables.made = self._tables.made or made

    def _with_tables(self, act: Callable[[Tables], T]) -> T:
        try:
            return super()._with_tables(act)
        except InFile as found:
            # Where a connection leads is known once there is one.
            before = self._tables
            self._tables = File(path_of(str(found)), before.clock, before.made)
            return super()._with_tables(act)
