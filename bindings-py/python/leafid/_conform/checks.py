"""The list of checks, and how one says what it found."""

from collections.abc import Callable
from typing import Any

from ..errors import LeafidError

# It is called with the `Subject`.
Check = Callable[[Any], None]

# The name, the methods that a store must have for it, and the check.
CHECKS: list[tuple[str, tuple[str, ...], Check]] = []
SEGMENTS = ("lease_segment",)
WINDOWS = ("acquire", "renew", "release")


def check(name: str, needs: tuple[str, ...]) -> Callable[[Check], Check]:
    """Adds a check."""

    def add(act: Check) -> Check:
        CHECKS.append((name, needs, act))
        return act

    return add


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
