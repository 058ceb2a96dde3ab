"""A connection of ours to a database."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ... import errors
from . import words
from .engine import Engine
from .leaf import Leaf
from .mysql import Mysql
from .postgres import Postgres
from .text import MARKS, statements, tables_of, translated

Row = dict[str, Any]


class Broken(Exception):
    """What a database said instead of an answer. `kind` is `lost` (the connection is not used
    again), `race` (another was faster, and all is undone), `locked` or `refused`; or what waiting cannot
    cure: `login` (who is not known), `denied` (a right is missing), `nowhere` (there is no such
    database) and `gone` (nor such a table)."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind, self.detail = kind, detail


class InFile(Exception):
    """The connection is SQLite's, to a file."""


class Link:
    """One connection, in which nothing happens but what is asked here."""

    # As the server says what it is.
    engine: Engine

    def __init__(self, connection: Any, leaf: bool, is_shared: bool) -> None:
        self.connection, self.is_shared = connection, is_shared
        if type(connection).__module__ == "sqlite3":
            raise InFile(_file_of(connection))
        module = sys.modules.get(type(connection).__module__.partition(".")[0])
        self.error: type[Exception] = _error_of(connection, module)
        mark = MARKS.get(getattr(module, "paramstyle", "format"))
        if mark is None:
            raise words.no_driver(f"the driver `{getattr(module, '__name__', module)}`")
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
        """`STORE_REFUSED` if somebody has a transaction open in it: what was granted there would be
        undone with it, and granted again."""
        if _in_transaction(self.connection):
            raise words.in_transaction()

    def _ask_about_transaction(self) -> None:
        """As `refuse_transaction`, where the driver does not know: before autocommit is switched on,
        which would commit it."""
        try:
            ((is_open,),) = self.statement("SELECT @@in_transaction")
        except Broken:
            return  # MySQL has no such variable.
        if is_open:
            raise words.in_transaction()

    def settle(self) -> None:
        """Sets what the session has to be set to."""
        self.script(*self.engine.session)

    def begin(self) -> None:
        """Begins a transaction. What others may have set in the session is set again."""
        if self.is_shared:
            with self._words():
                if _tells_nothing(self.connection):
                    self._ask_about_transaction()
                _autocommit(self.connection)
            self.settle()
        self.script(self.engine.begin)
        self._looked.clear()

    def script(self, *texts: str) -> None:
        """Carries out statements without parameters."""
        for text in texts:
            for statement in statements(text):
                self._execute(statement, None)

    def run(self, text: str, params: Row) -> tuple[list[Row], int]:
        """The rows of a text, and how many it found or wrote."""
        if self.is_shared:
            self._look(text)
        named, found, count = self._found(text, params)
        return [dict(zip(named, row, strict=True)) for row in found], count

    def values(self, text: str) -> list[Any]:
        """The first row of a text that names no columns; nothing if there is none."""
        return next(iter(self.table(text)), [])

    def table(self, text: str) -> list[list[Any]]:
        """The rows of a text that names no columns."""
        return [list(row) for row in self._found(text, {})[1]]

    def statement(self, sql: str) -> list[Any]:
        """The rows of a statement that is no text of ours."""
        return self._execute(sql, None)[1]

    def _look(self, text: str) -> None:
        """Looks once in a transaction whether a table that is used is the store's."""
        for table in tables_of(self.engine.named(text)):
            if table not in self._looked:
                self.engine.refuse_shadows(self, table)
                self._looked.add(table)

    def _probe(self) -> None:
        """Refuses converters by which a value would not be what was written."""
        given = list(self.statement(self.engine.probe)[0])
        if not all(map(isinstance, given, self.engine.kinds)):
            driver = type(self.connection).__module__.partition(".")[0]
            raise words.converted(driver, self.engine.probe, given)

    def close(self) -> None:
        with suppress(self.error):
            self.connection.close()

    def _found(self, text: str, params: Row) -> tuple[list[str], list[Any], int]:
        sql, names = translated(self.engine.named(text), self.mark)
        values = [self.engine.value(name, params[name]) for name in names]
        return self._execute(sql, values or None)

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
        """What the driver says, by its kind."""
        try:
            yield
        except self.error as error:
            # Before the engine is known it tells no kinds.
            kind = self.engine.kind(error) if hasattr(self, "engine") else "refused"
            raise Broken(kind, words.said(error)) from error


def _engine_of(link: Link, leaf: bool) -> Engine:
    said = words.text(link.statement("SELECT version()")[0][0])
    if said.startswith("PostgreSQL"):
        if leaf:
            raise words.not_leafs(said)
        return Postgres(link)
    if "MariaDB" in said or said[:1].isdigit():
        return Leaf(link) if leaf else Mysql(link)
    raise words.no_driver(f"the database `{said}`")


def _file_of(connection: Any) -> str:
    for _, name, path in connection.execute("PRAGMA database_list"):
        if name == "main" and path:
            connection.close()
            return str(path)
    raise words.in_memory()


def _error_of(connection: Any, module: Any) -> type[Exception]:
    found = getattr(connection, "Error", None) or getattr(module, "Error", None)
    if not (isinstance(found, type) and issubclass(found, Exception)):
        raise words.no_connection(connection)
    return found


def _autocommit(connection: Any) -> None:
    """Transactions begin and end where it is said."""
    if callable(getattr(connection, "autocommit", None)):
        connection.autocommit(True)
    else:
        connection.autocommit = True


def _plain(connection: Any) -> None:
    """Rows as drivers give them unless a factory asks for others."""
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
    """mysqlclient alone: whether a transaction is open is for the server to say."""
    return type(connection).__module__.partition(".")[0] == "MySQLdb"


def _in_transaction(connection: Any) -> bool:
    # psycopg and psycopg2: 0 is idle, and 4 is a connection that is closed.
    status = getattr(getattr(connection, "info", None), "transaction_status", None)
    if status is not None:
        return int(status) not in (0, 4)
    # PyMySQL: the flags of the server's last answer.
    flags = getattr(connection, "server_status", None)
    if isinstance(flags, int):
        return bool(flags & 1)
    return getattr(connection, "in_transaction", False) is True
