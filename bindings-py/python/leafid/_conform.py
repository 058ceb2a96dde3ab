"""`leafid.testing.conform`: checks that a store does what it must.

The cases are data, the same for every language; the engine plays them.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from . import _native
from ._native import Clock, MemoryStore
from .errors import TagExistsError, WorkerInvalidError

__all__ = ["DoesNotConform", "conform"]

# A store without an answer for this many seconds counts as hanging.
_HANGS_S = 60.0


class DoesNotConform(AssertionError):
    """A store failed cases. `failed` maps the name of each to what was found."""

    def __init__(self, failed: dict[str, str], passed: list[str]) -> None:
        lines = [f"{len(failed)} of {len(failed) + len(passed)} checks failed:"]
        lines += [f"- {name}: {what}" for name, what in failed.items()]
        super().__init__("\n".join(lines))
        self.failed, self.passed = failed, passed


def conform(
    store: Any,
    *,
    tag: str = "conform",
    namespace: str = "conform",
    clock: Clock | None = None,
    again: Callable[[], Any] | None = None,
) -> list[str]:
    """Checks that a store does what it must, and returns the names of the cases that it passed.

    `store` is an object with the methods of a store. It must have `tag` and `namespace`, which nothing
    else uses; they are created where the store has `create_tag` and `create_namespace`.
    A tick of the namespace lasts 500 ms at most. A run leaves the tag stopped, as after a claim of a
    holder: use a new tag for the next run. If the store reads the time from a `leafid.testing.Clock`, pass
    it as `clock`, and the cases move it. Otherwise they wait, for a few seconds at most. `again` makes
    another object for the same store, as another process would have it.

    Raises `DoesNotConform` with every case that failed, and why.
    """
    # A store in memory creates them on first use.
    if not isinstance(store, MemoryStore):
        for verb, name, how in [("create_tag", tag, {}), ("create_namespace", namespace, {"workers": (0, 4)})]:
            with suppress(TagExistsError, WorkerInvalidError):
                getattr(store, verb, lambda *_, **__: None)(name, if_missing=True, **how)
    failed, passed = _native.conform(store, tag, namespace, clock, again, _HANGS_S)
    if failed:
        raise DoesNotConform(failed, passed)
    return passed
