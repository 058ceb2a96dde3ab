"""The values for a new store."""

from __future__ import annotations

import os
from typing import Any

from .. import errors
from .._native import namespace_fields


class Making:
    """The id of a store to create where there is none, and its namespace `default`.

    Raises `REQUEST_INVALID` or `WORKER_INVALID` for values that no store can have, before any I/O.
    """

    def __init__(self, id: str | None = None, workers: tuple[int, int] | None = None) -> None:
        self.id = None if id is None else _id(id)
        try:
            self.declare(namespace_fields("default", workers=workers))
        except errors.WorkerInvalidError:
            raise errors.WorkerInvalidError(
                f"`workers` {workers} do not fit the namespace `default` of a new store, which has the "
                "layout `leaf`: make the store first, without `workers`"
            ) from None

    @classmethod
    def wanted(cls, create: bool, id: str | None) -> Making | None:
        """The values with this id if `create` is True; raises `TypeError` for anything but a bool."""
        if not isinstance(create, bool):
            raise TypeError(f"`create` must be True or False, got {create!r:.80}")
        return cls(id) if create else None

    def declare(self, said: dict[str, Any]) -> None:
        """Sets the options of the namespace `default`."""
        self.default: dict[str, Any] = {"namespace": "default", **said}

    def store(self) -> bytes:
        """The id as bytes, random if none was given."""
        return self.id or os.urandom(16)


def _id(id: object) -> bytes:
    try:
        found = bytes.fromhex(id) if isinstance(id, str) else b""
    except ValueError:
        found = b""
    if len(found) != 16:
        raise errors.RequestInvalidError(f"`id` of a store is 32 hex digits, got {id!r:.80}")
    return found
