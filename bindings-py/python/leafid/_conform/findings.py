"""How a check says what it found."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import LeafidError


class Failed(Exception):
    """A store did otherwise; the message says what it did."""


class Skipped(Exception):
    """It cannot be seen on this store."""


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
