"""The methods of a store over SQL."""

import os
import re
from contextlib import suppress
from typing import Any

from .. import errors
from .._native import journal_folder, namespace_fields
from .tables import Tables

Row = dict[str, Any]

# The number of tags listed in one transaction.
_PAGE = 1_000


class Store:
    """The common part of `SqliteStore` and `SqlStore`."""

    def __init__(
        self,
        tables: Tables,
        workers: tuple[int, int] | None,
        journal: str | os.PathLike[str] | None,
    ) -> None:
        self._tables = tables
        journal = journal or os.environ.get("LEAFID_JOURNAL")
        if journal:
            tables.journal = journal_folder(journal)
        # Tags and namespaces that generators want to create, by verb and name.
        self._wanted: dict[tuple[str, str], list[Row]] = {}
        if workers is not None and tables.made is None:
            raise errors.WorkerInvalidError(
                "`workers` is the range of a namespace that is made: add `create=True`, or leave it out"
            )
        if workers is not None:
            self.make_later("create_namespace", "default", {"workers": workers, "if_missing": True})

    @property
    def id(self) -> str:
        """The store's id: 32 hex digits."""
        return self._tables.found()

    @property
    def place(self) -> str:
        """The place of the store in the form of a command's `--store`, without a password."""
        return self._place

    @property
    def _place(self) -> str:
        """`place`, as far as it is known without a connection; the engine takes stores of one place for one."""
        return self._tables.place

    def close(self) -> None:
        """Closes the connection; the next call makes another."""
        with self._tables.lock:
            self._tables.close()

    def _decide(self, verb: str, ask: Row) -> Any:
        answer = self._tables.decide(verb, ask)
        if isinstance(answer, (errors.TagUnknownError, errors.NamespaceUnknownError)):
            create = r"(?<=`)leafid (?:tag|namespace) create \S+(?=`)"
            raise type(answer)(re.sub(create, rf"\g<0> --store {self._tables.place}", str(answer)))
        if isinstance(answer, errors.LeafidError):
            raise answer
        return answer

    def create_tag(
        self,
        tag: str,
        *,
        start: int | None = None,
        step: int | None = None,
        max_step: int | None = None,
        until: int | None = None,
        if_missing: bool = False,
    ) -> None:
        """Creates a tag whose numbers begin at `start` and stay below `until`.

        Raises `TagExistsError` if the tag exists; with `if_missing` only if its values differ from those
        given here.
        """
        said = _said({"from": start, "step": step, "max_step": max_step, "until": until})
        self._create("tag", tag, said, if_missing)

    def _create(self, kind: str, name: str, said: Row, if_missing: bool) -> None:
        if if_missing:
            declared = {**said, "place": self._tables.place}
            self._decide(f"declare_{kind}", {kind: name, "declared": declared})
        else:
            self._decide(f"create_{kind}", {kind: name, **said})

    def tag(self, tag: str) -> Row:
        """A tag: its next number `max_id`, `step`, `max_step`, `until` or `None`, and `claimed_until`: the
        highest end that a holder has shown while the tag was below it, or `None`."""
        return _shown(self._decide("tag", {"tag": tag}))

    def tags(self) -> list[Row]:
        """All tags, each as `tag` returns it."""
        listed: list[Row] = []
        while True:
            after = {"after": listed[-1]["tag"]} if listed else {}
            more = self._decide("tags", {"limit": _PAGE, **after})
            listed += map(_shown, more)
            if len(more) < _PAGE:
                return listed

    def set_tag(
        self,
        tag: str,
        *,
        step: int | None = None,
        max_step: int | None = None,
        until: int | None = None,
    ) -> Row:
        """Changes a tag, and returns the new values. An `until` of 2^63 - 1 removes the upper end."""
        said = _said({"step": step, "max_step": max_step, "until": until})
        return _shown(self._decide("set_tag", {"tag": tag, **said}))

    def advance_tag(self, tag: str, to: int) -> Row:
        """Advances a tag to `to`, which must not be below its next number."""
        return _shown(self._decide("advance_tag", {"tag": tag, "to": to}))

    def delete_tag(self, tag: str) -> None:
        """Deletes a tag. Its row stays, so that a new tag of this name continues above it."""
        self._decide("delete_tag", {"tag": tag})

    def create_namespace(
        self,
        namespace: str,
        *,
        layout: Any = None,
        workers: tuple[int, int] | None = None,
        max_window: float | None = None,
        if_missing: bool = False,
    ) -> None:
        """Creates a namespace; windows are at most `max_window` seconds long.

        `workers` is the range of worker numbers to hand out: the first, and one more than the last. Raises
        `LayoutMismatchError` if the namespace exists with other values; with `if_missing` only the values
        given here are compared.
        """
        said = namespace_fields(namespace, layout, workers, max_window)
        self._create("namespace", namespace, said, if_missing)

    def set_workers(self, namespace: str, workers: tuple[int, int]) -> None:
        """Sets the range of worker numbers to hand out: the first, and one more than the last."""
        said = namespace_fields(None, workers=workers)
        self._decide("set_namespace", {"namespace": namespace, **said})

    def release_worker(self, namespace: str, worker: int) -> None:
        """Releases a worker number as its operator: the holder keeps it until its window ends, then others
        may get it."""
        if type(worker) is not int or not 0 <= worker < 1 << 32:
            raise errors.WorkerInvalidError(f"a worker number is 0 or more, got `{worker!r:.80}`")
        self._decide("release_worker", {"namespace": namespace, "worker": worker})

    def lease_segment(self, ask: Row) -> Row:
        """Leases numbers of a tag."""
        self._make_wanted("create_tag", _name_of(ask, "tag"))
        return self._grant("lease_segment", ask)

    def acquire(self, ask: Row) -> Row:
        """Grants a worker number and a window on it."""
        self._make_wanted("create_namespace", _name_of(ask, "namespace"))
        return self._grant("acquire", ask)

    def renew(self, ask: Row) -> Row:
        """Extends a window."""
        return self._grant("renew", ask)

    def release(self, ask: Row) -> Row:
        """Takes back the rest of a window."""
        return self._grant("release", ask)

    def _grant(self, verb: str, ask: Row) -> Row:
        granted: Row | None = self._decide(verb, ask)
        return granted or {}

    def make_later(self, verb: str, name: str, how: Row) -> None:
        """Plans a `create_tag` or `create_namespace` before the first grant of that name. The namespace
        `default` is created with the store."""
        if verb == "create_namespace":
            said = namespace_fields(name, how.get("layout"), how.get("workers"))
            if name == "default" and self._tables.made is not None:
                self._tables.made.declare(said)
        self._wanted.setdefault((verb, name), []).append(how)

    def _make_wanted(self, verb: str, name: str) -> None:
        for how in tuple(self._wanted.get((verb, name), ())):
            getattr(self, verb)(name, **how)
            # Another thread may have removed it already.
            with suppress(ValueError):
                self._wanted[verb, name].remove(how)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._tables.place!r})"


def _name_of(ask: Row, kind: str) -> str:
    """The tag or namespace of an ask; empty where the engine will refuse the ask."""
    name = ask.get(kind) if isinstance(ask, dict) else None
    return name if isinstance(name, str) else ""


def _said(given: Row) -> Row:
    return {field: value for field, value in given.items() if value is not None}


def _shown(row: Row) -> Row:
    """A tag's public fields."""
    fields = ("tag", "max_id", "step", "max_step", "until", "claimed_until")
    return {field: row.get(field) for field in fields}
