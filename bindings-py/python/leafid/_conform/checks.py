"""The list of checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .subject import Subject

Check = Callable[["Subject"], None]
C = TypeVar("C", bound=Check)

# The name, the methods that a store must have for it, and the check.
CHECKS: list[tuple[str, tuple[str, ...], Check]] = []
SEGMENTS = ("lease_segment",)
WINDOWS = ("acquire", "renew", "release")


def check(name: str, needs: tuple[str, ...]) -> Callable[[C], C]:
    """Adds a check."""

    def add(act: C) -> C:
        CHECKS.append((name, needs, act))
        return act

    return add
