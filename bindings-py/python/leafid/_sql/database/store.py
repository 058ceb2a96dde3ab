"""The store in a database."""

from collections.abc import Callable
from typing import Any, TypeVar

from ..clock import Clock, System
from ..file.places import path_of
from ..file.sqlite import File
from ..making import Making
from ..store import Store
from .database import UNKNOWN, Database
from .link import InFile
from .source import source_of

T = TypeVar("T")


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
        super().__init__(Making.wanted(create, id))
        self._clock = clock
        self._declare(workers)
        self._tables: Database | File
        if isinstance(connect, str) and connect.startswith("sqlite:"):
            self._tables = self._file(connect)
        else:
            source = source_of(connect, tags)
            self._tables = Database(source, clock, allow_unsafe_settings, self._made)

    @property
    def id(self) -> str:
        """Its id: 32 hex digits."""
        return self._with_tables(lambda tables: tables.found())

    @property
    def place(self) -> str:
        """Where it is, as `--store` of a command takes it, without a password."""
        # Where a function's connections lead is known once there is one.
        if self._place == UNKNOWN:
            self.id  # noqa: B018
        return self._place

    def close(self) -> None:
        """Closes the connection; the next call makes another."""
        with self._tables.lock:
            self._tables.close()

    @property
    def _place(self) -> str:
        return self._tables.place

    def _carry(self, verb: str, ask: dict[str, Any]) -> Any:
        return self._with_tables(lambda tables: tables.decide(verb, ask))

    def _make_where_missing(self, made: Making) -> None:
        """As if it had been opened with `create`, unless it is open already."""
        self._made = self._tables.made = self._made or made

    def _with_tables(self, act: Callable[[Database | File], T]) -> T:
        try:
            return act(self._tables)
        except InFile as found:
            # Where a connection leads is known once there is one.
            self._tables = self._file(str(found))
            return act(self._tables)

    def _file(self, place: str) -> File:
        return File(path_of(place), self._clock or System(), self._made)

    def __repr__(self) -> str:
        return f"SqlStore({self._place!r})"
