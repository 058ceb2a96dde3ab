"""The list of checks, and how one says what it found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ..errors import LeafidError

if TYPE_CHECKING:
    from .subject import Subject

Check = Callable[["Subject"], None]
C = TypeVar("C", bound=Check)

# The name, the methods that a store must have for it, and the check.
CHECKS: list[tuple[str, tuple[str, ...], Check]] = []
SEGMENTS = ("lease_segment",)
WINDOWS = ("acquire", "renew", "release")


class Failed(Exception):
    """A store did otherwise; the message says what it did."""


class Skipped(Exception):
    """It cannot be seen on this store."""


def check(name: str, needs: tuple[str, ...]) -> Callable[[C], C]:
    """Adds a check."""

    def add(act: C) -> C:
        CHECKS.append((name, needs, act))
        return act

    return add


def that(holds: object, otherwise: str) -> None:
    """Says what was found instead."""
    if not holds:
        raise Failed(otherwise)


def refused(code: str, act: Callable[[], object]) -> LeafidError:
    """The refusal of this code; anything else fails the check."""
    try:
        gave = act()
    except LeafidError as error:
        that(error.code == code, f"it was refused with {error.code}, not {code}: {error}")
        return error
    raise Failed(f"it was granted, not refused with {code}: {gave}")
