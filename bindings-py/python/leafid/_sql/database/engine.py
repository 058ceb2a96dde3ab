"""What the engines have in common."""

import logging
from abc import ABC, abstractmethod
from typing import Any, Protocol

from ... import errors
from . import words
from .text import translated

# How long a statement may take, in ms: as long as a holder waits for an answer.
STATEMENT_MS = 3_000
# How long it waits for a row that somebody else has locked.
LOCKED_MS = 2_000
_LOG = logging.getLogger("leafid")
_LOSES = "a crash forgets what was answered last: the same numbers would be granted again"


class Queries(Protocol):
    """What an engine is asked over: a link, of which engines know no more."""

    def script(self, *texts: str) -> None: ...

    def values(self, text: str) -> list[Any]: ...

    def table(self, text: str) -> list[list[Any]]: ...

    def statement(self, sql: str) -> list[Any]: ...


class Engine(ABC):
    """An engine as it is spoken with in one connection."""

    # What its texts are called.
    dialect: str
    # What has a row stay as it is read, behind a text.
    locking = ""
    # Which version of the tables this program knows.
    version: int
    # What is said when a connection begins.
    session: list[str]
    # How a transaction begins and ends, whatever the session is set to.
    begin: str
    commit = "COMMIT"
    # What each transaction begins with: the time, of which version and which store the tables are,
    # and what `meta/settings` gives.
    head: str
    # Values of each kind, and the types that a driver gives them without converters of its user's.
    probe: str
    kinds: tuple[tuple[type, ...], ...]

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def locked(self, text: str) -> str:
        """A text that others wait for, if it is what all transactions on one tag, or one namespace, read
        first: instead of being told at the end that somebody was faster."""
        if self.locking and text in (self.texts["rows/tag"], self.texts["rows/namespace"]):
            return f"{text.rstrip().removesuffix(';')}\n{self.locking}"
        return text

    def named(self, text: str) -> str:
        """A text with the names that the tables have here."""
        return text

    def value(self, name: str, value: Any) -> Any:
        """The value of a parameter as the driver takes it."""
        return value

    @abstractmethod
    def kind(self, error: Exception) -> str:
        """What a failure means: a kind of `Broken`, or `nothing` where it says that no row is there
        or was written."""

    def judge(
        self, found: list[Any], place: str, allow_unsafe: bool, is_first: bool = False
    ) -> None:
        """`STORE_REFUSED` for a server that cannot keep what it answers, as `meta/settings` found. The
        first time a risk that is let pass is warned of."""
        refused, setting, cure = (None if said is None else words.text(said) for said in found[:3])
        if refused is not None:
            raise errors.StoreRefusedError(f"{place} {refused}")
        if setting is None:
            return
        if not allow_unsafe:
            raise words.unsafe(place, setting, _LOSES, str(cure))
        if is_first:
            _LOG.warning("%s has %s, let pass by `allow_unsafe_settings`: %s", place, setting, _LOSES)

    def examine(self, link: Queries, place: str) -> None:
        """`STORE_REFUSED` for tables that cannot keep what is written to them."""

    def refuse_shadows(self, link: Queries, table: str) -> None:
        """`STORE_REFUSED` where the session has a temporary table of this name, which every statement
        would find instead of ours."""

    @abstractmethod
    def place(self, link: Queries) -> str:
        """Where a connection leads that a function made, as `--store` takes it."""

    @abstractmethod
    def begin_making(self, link: Queries) -> None:
        """Keeps other programs from making a store here at the same time, and begins a transaction
        where tables are made in one."""

    def end_making(self, link: Queries) -> None:
        """Others may again."""


def expressions(text: str) -> str:
    """What a text without a table selects."""
    return translated(text, "?")[0].removeprefix("SELECT").strip()
