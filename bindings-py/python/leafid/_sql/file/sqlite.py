"""A store's file in one process: the connection, checks and transactions."""

import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from ... import errors
from ..._native import SQLITE_APPLICATION, Clock, StoreTime, abandon, absence, decide, sql_texts
from ..making import Making
from ..tables import PATIENCE, Tables, not_there, other_version
from . import places
from .opened import Opened, refused

VERSION, TEXTS = sql_texts("sqlite")
# Without the interpreter's lock, a kept statement ends only in the thread that made it: the `close` of a thread that
# forks would leave the file open.
_CACHED_STATEMENTS = 0 if "free-threading" in sys.version else 128


class File(Tables):
    """A store's file. For the rules about forks see `opened`."""

    connection: sqlite3.Connection | None = None
    # The record of the process that opens the file, from before it is open.
    opened: Opened | None = None

    def __init__(self, path: Path, clock: Clock | None, made: Making | None) -> None:
        self.path = path
        if sqlite3.sqlite_version_info < (3, 37):
            raise errors.NotEnabledError(
                f"`sqlite:` needs SQLite 3.37 or later, and this Python has "
                f"{sqlite3.sqlite_version}: use a newer Python, or run `leafid serve`"
            )
        super().__init__(f"sqlite:{path}", clock, made)

    def _find(self) -> str:
        with self._words("open"):
            self._opened()
            # Until the first request it stays closed, so that a fork that Python does not see finds no locks.
            self.close()
        return str(self.id)

    def _turn(
        self, verb: str, ask: dict[str, Any], only_reads: bool = False
    ) -> tuple[Any, dict[str, Any] | None, str]:
        self._refuse_inherited()
        with self.lock, self._words("open" if self.id is None else "write"):
            opened = self._opened()
            try:
                if only_reads:
                    opened.execute("BEGIN")
                else:
                    self.begin(opened)
                now = self.time.read(lambda: int(_one(opened, TEXTS["longest"][0])))
                run = partial(_run, opened)
                decided = decide(False, str(self.id), now, verb, ask, run, self.guest)
                if decided is None:
                    raise errors.StoreUnavailableError(
                        f"a row of `{self.path}` was changed between reading and writing it: another "
                        "program writes to the store without a transaction"
                    )
                wrote, answer, waits, changes = decided
                if wrote:
                    # The last statement of a transaction that wrote something, as in the server.
                    _run(opened, "beat", {"now": now})
                if opened.in_transaction:
                    opened.execute("COMMIT")
            except BaseException:
                if opened.in_transaction:
                    opened.execute("ROLLBACK")
                raise
        return answer, waits, changes

    def _leave(self, own: dict[str, Any]) -> None:
        with suppress(errors.LeafidError), self.lock, self._words("write"):
            _run(self._opened(), "server_remove", own)

    def begin(self, opened: sqlite3.Connection) -> None:
        opened.execute("BEGIN IMMEDIATE")

    def close(self) -> None:
        connection, self.connection = self.connection, None
        opened, self.opened = self.opened, None
        if opened is not None and opened.is_inherited():
            # The parent's connection, which stays recorded as such.
            abandon(connection)
            return
        if connection is not None:
            connection.close()
        if opened is not None:
            opened.over()

    def _refuse_inherited(self) -> None:
        if self.opened is not None and self.opened.is_inherited():
            # Not closed, since it is the parent's.
            abandon(self.connection)
            raise refused(self.path)

    def _opened(self) -> sqlite3.Connection:
        if self.connection is not None:
            self.watch.look()
            return self.connection
        if self.id is not None:
            self.watch.begin()
        self.opened = Opened(self.path)
        try:
            opened = self._connected(self.id is None and self.made is not None)
            if self.id is None and self.made is not None:
                self._make(opened, self.made)
            store = bytes(_one(opened, "SELECT store FROM meta")).hex()
            if self.id is None:
                self.watch = places.Watch(self.path)
                self.time = StoreTime(self.clock, *_seen(opened))
                self.id = store
            if store != self.id:
                raise errors.StoreChangedError(
                    f"`{self.path}` is another store than before: {store} instead of {self.id}"
                )
            self.watch.look()
        except BaseException:
            self.close()
            raise
        return opened

    def _connected(self, create: bool) -> sqlite3.Connection:
        absent = absence(self.path)
        if absent is not None and not create:
            raise not_there(self.place, absent)
        mode = "rw" if absent is None else "rwc"
        opened = self.connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode={mode}",
            timeout=PATIENCE,
            # Transactions begin and end only by our statements.
            isolation_level=None,
            # `self.lock` lets one thread in at a time.
            check_same_thread=False,
            cached_statements=_CACHED_STATEMENTS,
            uri=True,
        )
        version = self._recognise(opened)
        if version is None and not create:
            raise not_there(self.place, "has no tables")
        if version not in (None, VERSION):
            raise other_version(f"`{self.path}`", version, VERSION)
        _settle(opened)
        return opened

    def _recognise(self, opened: sqlite3.Connection) -> int | None:
        """The version of the tables; `None` for a file without any."""
        try:
            # A single snapshot: another process may be creating the tables.
            opened.execute("BEGIN")
            tables = _one(opened, "SELECT count(*) FROM sqlite_schema")
            application = _one(opened, "PRAGMA application_id")
            version = _one(opened, "PRAGMA user_version")
            opened.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorname in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
                raise _foreign(self.path, str(error)) from error
            raise
        if application == SQLITE_APPLICATION:
            return int(version)
        if (application, version, tables) == (0, 0, 0):
            return None
        raise _foreign(self.path, "another program made it")

    def _make(self, opened: sqlite3.Connection, making: Making) -> None:
        """Creates the tables, the store's id and the namespace `default`, unless another process did."""
        try:
            self.begin(opened)
            if _one(opened, "PRAGMA user_version") == 0:
                # `executescript` would end the transaction.
                for statement in TEXTS["schema"][0].split(";"):
                    opened.execute(statement)
                made, id = "INSERT INTO meta (one, store, created_ms) VALUES (1, ?, ?)", making.store()
                now = time.time_ns() // 1_000_000 if self.clock is None else self.clock.wall_ms
                opened.execute(made, (id, now))
                decide(False, id, now, "create_namespace", making.default, partial(_run, opened))
                opened.execute(f"PRAGMA application_id = {SQLITE_APPLICATION}")
                opened.execute(f"PRAGMA user_version = {VERSION}")
            opened.execute("COMMIT")
        except BaseException:
            if opened.in_transaction:
                opened.execute("ROLLBACK")
            raise

    @contextmanager
    def _words(self, verb: str) -> Iterator[None]:
        """Converts errors of SQLite to errors with a code."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, errors.LeafidError):
                raise
            if _is_forbidden(error, self.path):
                raise errors.ForbiddenError(
                    f"this user cannot write `{self.path}`: {error}; allow writing to the file and its folder"
                ) from error
            message = f"cannot {verb} `{self.path}`: {error}"
            raise errors.StoreUnavailableError(message) from error


def _foreign(path: Path, why: str) -> errors.LeafidError:
    return errors.SchemaMismatchError(f"`{path}` is not a leafid store: {why}")


def _is_forbidden(error: Exception, path: Path) -> bool:
    """Whether this user lacks the rights to use the file, or to create SQLite's files beside it."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_CANTOPEN"):
        # Else the cause may be the limit of open files, which is temporary.
        files = (path, path.parent) if path.exists() else (path.parent,)
        return not all(os.access(file, os.R_OK | os.W_OK) for file in files)
    return isinstance(error, PermissionError) or name.startswith("SQLITE_READONLY")


def _run(
    opened: sqlite3.Connection, name: str, params: dict[str, Any]
) -> tuple[list[dict[str, Any]], int]:
    sql, names = TEXTS[name]
    found = opened.execute(sql, [params[name] for name in names])
    if found.description is None:
        return [], found.rowcount
    columns = [column[0] for column in found.description]
    all_rows = [dict(zip(columns, row, strict=True)) for row in found]
    return all_rows, len(all_rows)


def _settle(opened: sqlite3.Connection) -> None:
    journal = _journal(opened)
    # `fullfsync` is for macOS, where a plain sync does not reach the disk.
    for pragma in ("synchronous = FULL", "fullfsync = 1", "checkpoint_fullfsync = 1"):
        opened.execute(f"PRAGMA {pragma}")
    synchronous = _one(opened, "PRAGMA synchronous")
    if journal != "wal" or synchronous != 2:
        raise errors.StoreRefusedError(
            "the settings that make a grant durable do not work here: journal_mode is "
            f"`{journal}` instead of `wal`, synchronous is {synchronous} instead of 2; move the store "
            "to a local disk"
        )


def _journal(opened: sqlite3.Connection) -> Any:
    """Turns the log on, and waits where SQLite does not: while another process does the same."""
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
    """The times of the store's last grant and of its last write."""
    granted = _one(opened, "SELECT coalesce(max(granted_ms), 0) FROM workers")
    return int(granted), int(_one(opened, "SELECT beat_ms FROM meta"))


def _one(opened: sqlite3.Connection, text: str) -> Any:
    return opened.execute(text).fetchone()[0]
