"""What the engines have in common."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ..turn import Dialect
from . import words

if TYPE_CHECKING:
    from .link import Link

# A statement gives up after so long, in ms: as long as a holder waits for an answer.
STATEMENT_MS = 3_000
# It waits for a row that somebody else has locked for so long.
LOCKED_MS = 2_000
_LOG = logging.getLogger("leafid")
_LOSES = "a crash forgets what was answered last: the same numbers would be granted again"


class Engine(Dialect, ABC):
    """An engine as it is spoken with in one connection."""

    name: str
    # Which version of the tables this program knows.
    version: int
    # What is said when a connection begins.
    session: list[str]

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

    @abstractmethod
    def judge(self, link: Link, place: str, allow_unsafe: bool) -> None:
        """`STORE_REFUSED` for a server that cannot keep what it answers."""

    @abstractmethod
    def place(self, link: Link) -> str:
        """Where a connection leads that a function made, as `--store` takes it."""

    @abstractmethod
    def begin_making(self, link: Link) -> None:
        """Keeps other programs from making a store here at the same time, and begins a transaction
        where tables are made in one."""

    def end_making(self, link: Link) -> None:
        """Others may again."""


def risk(place: str, setting: str, cure: str, allow_unsafe: bool) -> None:
    """Refuses a setting by its name, or lets it pass with a warning."""
    if not allow_unsafe:
        raise words.unsafe(place, setting, _LOSES, cure)
    _LOG.warning("%s has %s, let pass by `allow_unsafe_settings`: %s", place, setting, _LOSES)
