"""The verbs of a store in a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .. import errors, registry
from . import acquire, namespaces, rows
from .clock import Clock, System
from .file import TEXTS, File, Turn

Row = dict[str, Any]


class SqliteStore:
    """A store in a file, for the processes of one machine: that of `leafid serve --store
    sqlite:PATH`.

    Any number of processes and a server may have it open at once; forked children, too. Without
    `create` the file must be there: a new one would hand out again what a lost one has handed out.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        clock: Clock | None = None,
        id: str | None = None,
    ) -> None:
        place = os.fspath(path).removeprefix("sqlite:")
        if not place:
            raise errors.RequestInvalidError("`sqlite:` needs a path, such as `sqlite:ids.db`")
        self._path = Path(os.path.abspath(place))
        self._file = File(self._path, clock or System(), create, id)

    @property
    def id(self) -> str:
        """Its id: 32 hex digits."""
        return self._file.id

    @property
    def path(self) -> str:
        """Where it is."""
        return str(self._path)

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

        A tag that is there is `TagExistsError`, or with `if_missing` left as it is.
        """
        spec = {"tag": tag, "from": start, "step": step, "max_step": max_step, "until": until}
        with self._turn() as turn:
            before = _tag(turn, spec)
            if if_missing and before is not None and not before["deleted"]:
                return
            if before is None and start is None and turn.floor_ms() > 0:
                raise errors.RequestInvalidError(
                    f"tag `{tag}` needs `start`: this store has lost grants, or replaces a lost "
                    "one, whose numbers it would repeat from 1 on; name a first number above every "
                    "one in use"
                )
            _put_tag(turn, tag, before, registry.tag_row(spec, before))

    def delete_tag(self, tag: str) -> None:
        """Deletes a tag. Its row stays, so that one made again goes on above it."""
        with self._turn() as turn:
            row = _tag(turn, {"tag": tag})
            if row is None or row["deleted"]:
                raise errors.TagUnknownError(_unknown("tag", tag, self._path))
            _put_tag(turn, tag, row, {**row, "deleted": True})

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

        `workers` are the worker numbers that may be handed out, from the first to one more than the
        last. A namespace that is there as described, or any with `if_missing`, is left as it is.
        """
        with self._turn() as turn:
            namespaces.create(turn, namespace, layout, workers, max_window, if_missing)

    def set_workers(self, namespace: str, workers: tuple[int, int]) -> None:
        """Hands out these worker numbers from now on: from the first to one more than the last."""
        with self._turn() as turn:
            namespaces.set_workers(turn, self._namespace(turn, {"namespace": namespace}), workers)

    def release_worker(self, namespace: str, worker: int) -> None:
        """An operator's release: the holder goes on to the end in hand, and then others may."""
        with self._turn() as turn:
            space = self._namespace(turn, {"namespace": namespace})
            row = turn.one("rows/worker", namespace=namespace, worker=worker)
            if row is None and not space.hands_out(worker):
                raise space.worker_invalid(worker)
            if row is not None:
                before = rows.worker(row)
                after = {**before, "owner": "", "sticky": False, "key": None}
                acquire.put(turn, namespace, after)

    def lease_segment(self, ask: Row) -> Row:
        """Leases numbers of a tag."""
        with self._turn() as turn:
            before = _tag(turn, ask)
            if before is None:
                raise errors.TagUnknownError(_unknown("tag", ask["tag"], self._path))
            row, grant = registry.lease_segment(turn.store, before, ask, turn.now)
            _put_tag(turn, ask["tag"], before, row)
            return grant

    def acquire(self, ask: Row) -> Row:
        """Gives a worker number and a window on it."""
        with self._turn() as turn:
            return acquire.acquire(turn, self._namespace(turn, ask), ask)

    def renew(self, ask: Row) -> Row:
        """Extends a window."""
        with self._turn() as turn:
            space = self._namespace(turn, ask)
            row = acquire.find(turn, space, ask)
            after, grant = registry.renew(turn.store, space.row, row, ask, turn.now)
            acquire.put(turn, space.name, after)
            return grant

    def release(self, ask: Row) -> Row:
        """Takes back the rest of a window."""
        with self._turn() as turn:
            space = self._namespace(turn, ask)
            row = acquire.find(turn, space, ask)
            after, answer = registry.release(turn.store, row, ask, turn.now)
            acquire.put(turn, space.name, after)
            return answer

    def close(self) -> None:
        """Closes the file; the next call opens it again."""
        with self._file.lock:
            self._file.close()

    def __repr__(self) -> str:
        return f"SqliteStore({str(self._path)!r})"

    def _namespace(self, turn: Turn, ask: Row) -> namespaces.Space:
        space = namespaces.read(turn, name_of(ask, "namespace"))
        if space is None:
            raise errors.NamespaceUnknownError(
                _unknown("namespace", ask["namespace"], self._path)
            )
        return space

    def _turn(self) -> Any:
        return self._file.turn()


def name_of(ask: Row, kind: str) -> str:
    """The tag or the namespace that an ask names."""
    name = ask.get(kind) if isinstance(ask, dict) else None
    if not isinstance(name, str):
        raise errors.RequestInvalidError(f"`{kind}` of the ask is missing, or not a text")
    return name


def _tag(turn: Turn, ask: Row) -> Row | None:
    found = turn.one("rows/tag", tag=name_of(ask, "tag"))
    return None if found is None else rows.tag(found)


def _put_tag(turn: Turn, tag: str, before: Row | None, after: Row) -> None:
    columns = {"tag": tag, **rows.of_tag(after)}
    if before is None:
        turn.write(TEXTS["rows/tag_add"], columns)
    else:
        turn.write(TEXTS["rows/tag_change"], {**columns, **rows.before(rows.of_tag(before))})


def _unknown(kind: str, name: str, path: Path) -> str:
    return (
        f"there is no {kind} `{name}`: check its spelling, or create it: leafid {kind} create "
        f"{name} --store sqlite:{path}"
    )
