"""A transaction: rows are read, and written if they are as they were read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import rows

Row = dict[str, Any]


class Conflict(Exception):
    """A row is not any more as it was read: what was decided on it counts for nothing."""


class Dialect:
    """The texts of an engine, and what it wants said otherwise. This is SQLite's."""

    # What stands around the name of a column.
    quote = ""
    # What has a row stay as it is read, behind a text; a file has one writer anyway.
    locking = ""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def put_tag(self, turn: Turn, tag: str, before: Row | None, after: Row) -> None:
        """Writes the row of a tag."""
        columns = {"tag": tag, **rows.of_tag(after)}
        if before is None:
            turn.write("rows/tag_add", columns)
        else:
            turn.write("rows/tag_change", {**columns, **rows.before(rows.of_tag(before))})


# What all transactions on one tag, or one namespace, read first.
_FIRST = ("rows/tag", "rows/namespace")


class Turn:
    """One transaction. `run` carries out a text with parameters: the rows, and how many it found
    or wrote. With `in_line` others wait from its first row on, instead of being told at the end that
    somebody was faster."""

    def __init__(
        self,
        dialect: Dialect,
        run: Callable[[str, Row], tuple[list[Row], int]],
        store: str,
        now: int,
        in_line: bool = False,
    ) -> None:
        self.dialect, self.store, self.now = dialect, store, now
        self._run = run
        self._locking = dialect.locking if in_line else ""
        self.wrote = False

    def all(self, name: str, **params: Any) -> list[Row]:
        text = self.dialect.texts[name]
        if self._locking and name in _FIRST:
            text = f"{text.rstrip().removesuffix(';')}\n{self._locking}"
        return self._run(text, params)[0]

    def one(self, name: str, **params: Any) -> Row | None:
        return next(iter(self.all(name, **params)), None)

    def find(self, name: str, params: Row) -> None:
        """Finds a row that has to be there.

        `Conflict` if it is not.
        """
        if not self._run(self.dialect.texts[name], params)[0]:
            raise Conflict

    def write(self, name: str, params: Row) -> None:
        """Writes a row.

        `Conflict` if it is not as it was read.
        """
        self._write(self.dialect.texts[name], params)

    def change_worker(self, params: Row, changed: list[str]) -> None:
        """Sets these columns of the row of a number: an index that has a column is written with it,
        also where the value stays.

        `Conflict` if the row is not as it was read.
        """
        quote = self.dialect.quote
        settings = ", ".join(f"{quote}{column}{quote} = :{column}" for column in changed)
        text = f"UPDATE workers SET {settings}\n{self.dialect.texts['rows/worker_was']}"
        self._write(text, params)

    def adjust(self, name: str, params: Row) -> None:
        """Writes what there is to write."""
        self.wrote = True
        self._run(self.dialect.texts[name], params)

    def floor_ms(self) -> int:
        """Before when no window begins; 0 unless it has lost grants, or replaces a lost store."""
        found = self.one("fence/fenced")
        return 0 if found is None else int(found["floor_ms"])

    def _write(self, text: str, params: Row) -> None:
        self.wrote = True
        if self._run(text, params)[1] < 1:
            raise Conflict
