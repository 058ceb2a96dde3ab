"""The file in one process: its connection, what it must be, and its transactions."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .. import errors
from .._native import abandon, namespace_row, sqlite_texts
from . import places, rows, words
from .clock import Clock, StoreTime
from .opened import Opened, refused

APPLICATION, VERSION, TEXTS = sqlite_texts()
# How long to wait for another process's transaction, in s: less than the 3 s after which a holder
# counts its ask as lost.
PATIENCE = 2.0


class File:
    """A store's file. It is opened by the first transaction, and closed when the process forks:
    SQLite keeps its locks in memory that a child inherits, and the system does not let a child
    inherit the locks."""

    connection: sqlite3.Connection | None = None
    # By which process, from before it is opened.
    opened: Opened | None = None

    def __init__(self, path: Path, clock: Clock, create: bool, id: str | None) -> None:
        self.path, self.lock = path, threading.Lock()
        if sqlite3.sqlite_version_info < (3, 37):
            raise errors.NotEnabledError(
                f"`sqlite:` needs SQLite 3.37 or later, and this Python has "
                f"{sqlite3.sqlite_version}: use a newer Python, or run `leafid serve`"
            )
        with self.lock, self._words("open"):
            opened = self._open(create)
            try:
                if create:
                    self._make(opened, clock, id)
                self.id = self._store(opened)
                self.watch = places.Watch(path)
                self.time = StoreTime(clock, *_seen(opened))
            finally:
                self.close()
        _FILES.add(self)

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """What is read and written in one transaction; durable when it is over."""
        self._refuse_inherited()
        with self.lock, self._words("write"):
            opened = self._opened()
            try:
                self.begin(opened)
                longest = "SELECT coalesce(max(max_window_ms), 0) FROM namespaces"
                now = self.time.read(lambda: int(_one(opened, longest)))
                turn = Turn(opened, self.id, now)
                yield turn
                if turn.wrote:
                    # Ends each transaction that wrote something, as the server's do.
                    opened.execute(TEXTS["rows/beat"], {"now": turn.now})
                if opened.in_transaction:
                    opened.execute("COMMIT")
            except BaseException:
                if opened.in_transaction:
                    opened.execute("ROLLBACK")
                raise

    def begin(self, opened: sqlite3.Connection) -> None:
        opened.execute("BEGIN IMMEDIATE")

    def close(self) -> None:
        """Closes it, by whoever has the lock; the next transaction opens it again."""
        connection, self.connection = self.connection, None
        opened, self.opened = self.opened, None
        if opened is not None and opened.is_inherited():
            # It is the parent's, and stays noted as such.
            abandon(connection)
            return
        if connection is not None:
            connection.close()
        if opened is not None:
            opened.over()

    def __del__(self) -> None:
        self.close()

    def _refuse_inherited(self) -> None:
        if self.opened is not None and self.opened.is_inherited():
            # Nor is it closed here, which would be the parent's.
            abandon(self.connection)
            raise refused(self.path)

    def _opened(self) -> sqlite3.Connection:
        if self.connection is not None:
            self.watch.look()
            return self.connection
        self.watch.begin()
        opened = self._open(False)
        if (store := self._store(opened)) != self.id:
            self.close()
            raise errors.StoreChangedError(
                f"`{self.path}` is another store than before: {store} instead of {self.id}"
            )
        self.watch.look()
        return opened

    def _open(self, create: bool) -> sqlite3.Connection:
        self.opened = Opened(self.path)
        try:
            self.connection = self._connect(create)
            _settle(self.connection)
        except BaseException:
            self.close()
            raise
        return self.connection

    def _store(self, opened: sqlite3.Connection) -> str:
        return bytes(_one(opened, "SELECT store FROM meta")).hex()

    def _connect(self, create: bool) -> sqlite3.Connection:
        absent = places.check(self.path)
        if absent is not None and not create:
            raise words.not_there(self.path, absent)
        mode = "rw" if absent is None else "rwc"
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode={mode}",
            timeout=PATIENCE,
            # Transactions begin and end where it is said.
            isolation_level=None,
            # The lock sees to it that there is one at a time.
            check_same_thread=False,
            uri=True,
        )
        try:
            version = self._recognise(connection)
            if version is None and not create:
                raise words.not_there(self.path, "has no tables")
            if version not in (None, VERSION):
                raise words.other_version(self.path, version, VERSION)
        except BaseException:
            connection.close()
            raise
        return connection

    def _recognise(self, opened: sqlite3.Connection) -> int | None:
        """Of which version its tables are; `None` if it is nobody's yet."""
        try:
            # As of one moment: another process may be about to make the tables.
            opened.execute("BEGIN")
            tables = _one(opened, "SELECT count(*) FROM sqlite_schema")
            application = _one(opened, "PRAGMA application_id")
            version = _one(opened, "PRAGMA user_version")
            opened.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorname in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
                raise words.foreign(self.path, str(error)) from error
            raise
        if application == APPLICATION:
            return int(version)
        if (application, version, tables) == (0, 0, 0):
            return None
        raise words.foreign(self.path, "another program made it")

    def _make(self, opened: sqlite3.Connection, clock: Clock, id: str | None) -> None:
        """The tables, the store's id and the namespace `default`; another process may be faster."""
        try:
            self.begin(opened)
            if _one(opened, "PRAGMA user_version") == 0:
                for statement in statements(TEXTS["schema"]):
                    opened.execute(statement)
                made = "INSERT INTO meta (one, store, created_ms) VALUES (1, ?, ?)"
                store = bytes.fromhex(id) if id else os.urandom(16)
                opened.execute(made, (store, clock.wall_ms))
                row = namespace_row({"namespace": "default", "layout": "leaf"})
                columns = rows.of_namespace(row, row["workers"]["start"])
                add = TEXTS["rows/namespace_add"]
                opened.execute(add, {"namespace": "default", **columns})
                opened.execute(f"PRAGMA application_id = {APPLICATION}")
                opened.execute(f"PRAGMA user_version = {VERSION}")
            opened.execute("COMMIT")
        except BaseException:
            if opened.in_transaction:
                opened.execute("ROLLBACK")
            raise

    @contextmanager
    def _words(self, verb: str) -> Iterator[None]:
        """What SQLite says, as an error with a code."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, errors.LeafidError):
                raise
            message = f"cannot {verb} `{self.path}`: {error}"
            if getattr(error, "sqlite_errorname", "").startswith("SQLITE_READONLY"):
                message += "; allow this user to write the file and its folder"
            raise errors.StoreUnavailableError(message) from error


class Turn:
    """One transaction: rows are read, and written if they are as they were read."""

    def __init__(self, connection: sqlite3.Connection, store: str, now: int) -> None:
        self.connection, self.store, self.now = connection, store, now
        self.wrote = False

    def all(self, text: str, **params: Any) -> list[dict[str, Any]]:
        found = self.connection.execute(TEXTS[text], params)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]

    def one(self, text: str, **params: Any) -> dict[str, Any] | None:
        return next(iter(self.all(text, **params)), None)

    def write(self, text: str, params: dict[str, Any]) -> None:
        """Writes one row."""
        self.wrote = True
        if self.connection.execute(text, params).rowcount != 1:
            raise errors.StoreUnavailableError(
                "a row was changed between reading and writing it: another program writes to the "
                "store without a transaction"
            )

    def adjust(self, text: str, params: dict[str, Any]) -> None:
        """Writes what there is to write."""
        self.wrote = True
        self.connection.execute(text, params)

    def floor_ms(self) -> int:
        """Before when no window begins; 0 unless it has lost grants, or replaces a lost store."""
        return int(self.connection.execute("SELECT floor_ms FROM meta").fetchone()[0])


def statements(text: str) -> Iterator[str]:
    """The statements of a text, one by one: `executescript` would end the transaction."""
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _settle(opened: sqlite3.Connection) -> None:
    journal = _journal(opened)
    # Where a sync of the system does not reach the disk by itself (macOS), it is told to.
    for pragma in ("synchronous = FULL", "fullfsync = 1", "checkpoint_fullfsync = 1"):
        opened.execute(f"PRAGMA {pragma}")
    synchronous = _one(opened, "PRAGMA synchronous")
    if journal != "wal" or synchronous != 2:
        raise words.settings(journal, synchronous)


def _journal(opened: sqlite3.Connection) -> Any:
    """SQLite does not wait by itself while another process turns the log on as well."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return _one(opened, "PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() > deadline:
                raise
        time.sleep(0.002)


def _seen(opened: sqlite3.Connection) -> tuple[int, int]:
    """When the store granted last, and when it was written last."""
    granted = _one(opened, "SELECT coalesce(max(granted_ms), 0) FROM workers")
    return int(granted), int(_one(opened, "SELECT beat_ms FROM meta"))


def _one(opened: sqlite3.Connection, text: str) -> Any:
    return opened.execute(text).fetchone()[0]


_FILES: weakref.WeakSet[File] = weakref.WeakSet()
_LOCKED: list[File] = []


def _before_fork() -> None:
    for file in list(_FILES):
        # One that is in use for so long stays open, and a child refuses it.
        if file.lock.acquire(timeout=2 * PATIENCE):
            _LOCKED.append(file)
            file.close()


def _after_fork() -> None:
    while _LOCKED:
        _LOCKED.pop().lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
