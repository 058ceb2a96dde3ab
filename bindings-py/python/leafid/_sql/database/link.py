"""The link: a store's own connection to a database."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from ... import errors
from .engine import Text, as_text, in_transaction
from .failures import Broken, said
from .mysql import Leaf, Mysql, not_leafs
from .postgres import Postgres

Row = dict[str, Any]
# A parameter: `?`, or PostgreSQL's `$1`, which may come again.
_PLACE = re.compile(r"\?|\$(\d+)")
# The placeholder of a driver, by its `paramstyle`.
MARKS = {"format": "%s", "pyformat": "%s", "qmark": "?"}
# A table in use, ours or Leaf's.
_USED = re.compile(
    r"\b(?:FROM|INTO|UPDATE|JOIN) ((?:leafid_)?(?:meta|tags|namespaces|workers|servers)|leaf_alloc)\b"
)


class Link:
    """One connection, in a known state, whatever driver and settings it came with."""

    # Chosen by the server's version.
    engine: Postgres | Mysql

    def __init__(self, connection: Any, leaf: bool, is_shared: bool) -> None:
        self.connection, self.is_shared = connection, is_shared
        module = sys.modules.get(type(connection).__module__.partition(".")[0])
        self.error: type[Exception] = _error_of(connection, module)
        mark = MARKS.get(getattr(module, "paramstyle", "format"))
        driver = getattr(module, "__name__", module)
        if mark is None or driver == "sqlite3":
            raise _not_known(f"the driver `{driver}`")
        self.mark = mark
        self.refuse_transaction()
        with self._words():
            _plain(connection)
            if _tells_nothing(connection):
                self._ask_about_transaction()
            _autocommit(connection)
        self.engine = _engine_of(self, leaf)
        self.settle()
        self._probe()
        self._looked: set[str] = set()

    def refuse_transaction(self) -> None:
        """Raises `STORE_REFUSED` if the connection has an open transaction: its rollback would undo our
        grants, which would be granted again."""
        if _in_transaction(self.connection):
            raise in_transaction()

    def _ask_about_transaction(self) -> None:
        """As `refuse_transaction`, asking the server, since the driver does not know. To be called before
        autocommit is switched on, which would commit the transaction."""
        try:
            ((is_open,),) = self.statement("SELECT @@in_transaction")
        except Broken:
            return  # MySQL has no such variable.
        if is_open:
            raise in_transaction()

    def settle(self) -> None:
        """Applies the session's settings."""
        self.script(*self.engine.session)

    def begin(self) -> None:
        """Begins a transaction. Applies the settings again if others may have changed them."""
        if self.is_shared:
            with self._words():
                if _tells_nothing(self.connection):
                    self._ask_about_transaction()
                _autocommit(self.connection)
            self.settle()
        self.script(self.engine.begin)
        self._looked.clear()

    def script(self, *texts: str) -> None:
        """Runs statements without parameters."""
        for text in texts:
            for statement in filter(str.strip, text.split(";")):
                self._execute(statement, None)

    def run(self, name: str, params: Row, locks: bool = False) -> tuple[list[Row], int]:
        """Runs a text; returns its rows, and how many it found or wrote. With `locks`, rows of tags and of
        namespaces are locked as they are read."""
        sql, names = translated(self.engine.texts[name], self.mark)
        if locks and name in ("tag", "namespace"):
            sql = f"{sql}\n{self.engine.locking}"
        if self.is_shared:
            self._look(sql)
        values = [self.engine.value(name, params[name]) for name in names]
        named, found, count = self._execute(sql, values or None)
        return [dict(zip(named, row, strict=True)) for row in found], count

    def told(self, name: str) -> list[Any]:
        """The first row of a text without parameters; empty if there is none."""
        return list(next(iter(self.statement(self.engine.texts[name][0])), []))

    def statement(self, sql: str) -> list[Any]:
        """The rows of a statement without parameters."""
        return self._execute(sql, None)[1]

    def _look(self, sql: str) -> None:
        """Checks once per transaction that the tables of a statement are the store's."""
        for table in tables_of(sql):
            if table not in self._looked:
                self.engine.refuse_shadows(self, table)
                self._looked.add(table)

    def _probe(self) -> None:
        """Refuses type converters that would change our values."""
        given = list(self.statement(self.engine.probe)[0])
        if not all(map(isinstance, given, self.engine.kinds)):
            driver = type(self.connection).__module__.partition(".")[0]
            raise errors.StoreRefusedError(
                f"the connection of {driver} gives {given!r} for `{self.engine.probe}`: it has converters of its "
                "own; have `connect` make one without"
            )

    def close(self) -> None:
        with suppress(self.error):
            self.connection.close()

    def _execute(self, sql: str, values: list[Any] | None) -> tuple[list[str], list[Any], int]:
        try:
            with self._words():
                cursor = self.connection.cursor()
                try:
                    cursor.execute(sql) if values is None else cursor.execute(sql, values)
                    if cursor.description is None:
                        return [], [], cursor.rowcount
                    rows = cursor.fetchall()
                    return [column[0] for column in cursor.description], rows, len(rows)
                finally:
                    cursor.close()
        except Broken as broken:
            if broken.kind == "nothing":
                return [], [], 0
            raise

    @contextmanager
    def _words(self) -> Iterator[None]:
        """Converts the driver's errors to `Broken`."""
        try:
            yield
        except self.error as error:
            # Until the engine is known, kinds cannot be told apart.
            kind = self.engine.kind(error) if hasattr(self, "engine") else "refused"
            raise Broken(kind, said(error)) from error


def _engine_of(link: Link, leaf: bool) -> Postgres | Mysql:
    version = as_text(link.statement("SELECT version()")[0][0])
    if version.startswith("PostgreSQL"):
        if leaf:
            raise not_leafs(version)
        return Postgres(link)
    if "MariaDB" in version or version[:1].isdigit():
        return Leaf(link) if leaf else Mysql(link)
    raise _not_known(f"the database `{version}`")


def _not_known(what: str) -> errors.LeafidError:
    return errors.RequestInvalidError(
        f"{what} is not one that is known here: use PostgreSQL, MySQL or MariaDB, with psycopg, PyMySQL or "
        "mysqlclient, or SQLite by `sqlite:PATH`"
    )


def _error_of(connection: Any, module: Any) -> type[Exception]:
    found = getattr(connection, "Error", None) or getattr(module, "Error", None)
    if not (isinstance(found, type) and issubclass(found, Exception)):
        raise errors.RequestInvalidError(
            f"`connect` gave a `{type(connection).__name__}`, which is not a DB-API 2 connection; give a "
            "function that connects, such as `lambda: psycopg.connect(\"dbname=app\")`"
        )
    return found


def _autocommit(connection: Any) -> None:
    """Turns autocommit on: transactions begin and end only by our statements."""
    if callable(getattr(connection, "autocommit", None)):
        connection.autocommit(True)
    else:
        connection.autocommit = True


def _plain(connection: Any) -> None:
    """Resets the factories of rows and cursors to the drivers' defaults."""
    driver = type(connection).__module__.partition(".")[0]
    if driver == "psycopg":
        psycopg = sys.modules["psycopg"]
        connection.row_factory, connection.cursor_factory = psycopg.rows.tuple_row, psycopg.Cursor
    elif driver == "psycopg2":
        connection.cursor_factory = sys.modules["psycopg2"].extensions.cursor
    elif driver in ("pymysql", "MySQLdb"):
        connection.cursorclass = sys.modules[f"{driver}.cursors"].Cursor
    if driver == "pymysql":
        connection.use_unicode = True


def _tells_nothing(connection: Any) -> bool:
    """Whether only the server knows if a transaction is open, as with mysqlclient."""
    return type(connection).__module__.partition(".")[0] == "MySQLdb"


def _in_transaction(connection: Any) -> bool:
    # psycopg and psycopg2: 0 means idle, 4 a closed connection.
    status = getattr(getattr(connection, "info", None), "transaction_status", None)
    if status is not None:
        return int(status) not in (0, 4)
    # PyMySQL: flags of the server's last answer.
    flags = getattr(connection, "server_status", None)
    if isinstance(flags, int):
        return bool(flags & 1)
    return getattr(connection, "in_transaction", False) is True


@cache
def translated(text: Text, mark: str) -> Text:
    """The text with a driver's placeholders, each of which takes a value of its own."""
    sql, names = text
    # Without parameters, drivers do not look for placeholders.
    if not names:
        return text
    order = [names[int(number) - 1] if number else None for number in _PLACE.findall(sql)]
    if mark == "%s":
        sql = sql.replace("%", "%%")
    return _PLACE.sub(mark, sql), names if None in order else tuple(filter(None, order))


@cache
def tables_of(sql: str) -> tuple[str, ...]:
    """The names of the tables that a statement reads or writes."""
    return tuple(dict.fromkeys(_USED.findall(sql)))
