"""The verbs of a store over tables."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from .. import errors, registry
from . import acquire, declared, namespaces, rows, tags
from .making import Making
from .turn import Turn

Row = dict[str, Any]
T = TypeVar("T")

# How many tags are listed in one transaction.
_PAGE = 1_000


class Store(ABC):
    """What a file and a database have in common."""

    def __init__(self, made: Making | None) -> None:
        # What it is made with, where it may be made.
        self._made = made
        # Tags and namespaces that generators want made, by the verb and the name.
        self._wanted: dict[tuple[str, str], list[Row]] = {}

    @property
    def place(self) -> str:
        """Where it is, as `--store` of a command takes it, without a password."""
        return self._place

    @property
    @abstractmethod
    def id(self) -> str:
        """Its id: 32 hex digits."""

    @property
    @abstractmethod
    def _place(self) -> str:
        """`place`, without a look at the store."""

    @abstractmethod
    def _decide(self, act: Callable[[Turn], T]) -> T:
        """Carries out a transaction: again where another was faster."""

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

        A tag that exists is `TagExistsError`; with `if_missing` only if it has other values than given
        here.
        """
        given = {"from": start, "step": step, "max_step": max_step, "until": until}
        said = {field: value for field, value in given.items() if value is not None}
        spec = {"tag": tag, **said}
        registry.tag_row(spec)

        def create(turn: Turn) -> None:
            found = _found(turn, spec)
            before = None if found is None else rows.tag(found, tag)
            if if_missing and before is not None and not before["deleted"]:
                declared.check("tag", tag, said, before, self._place)
                return
            why = ""
            if before is None and turn.floor_ms() > 0:
                why = "this store has lost grants, or replaces a lost one"
            elif found is not None and found.get("removed"):
                why = "its row was removed from `leaf_alloc` by hand, and a Leaf may have moved it on"
            if start is None and why:
                raise errors.RequestInvalidError(
                    f"tag `{tag}` needs `start`: {why}, whose numbers it would repeat; name a first "
                    "number above every one in use"
                )
            turn.dialect.put_tag(turn, tag, before, registry.tag_row(spec, before))

        self._decide(create)

    def tag(self, tag: str) -> Row:
        """A tag: its next number `max_id`, `step`, `max_step`, `until` or `None`, and `claimed_until`: the
        highest end that a holder has shown while the tag stood below, or `None`."""
        return self._change_tag(tag, lambda row: row)

    def tags(self) -> list[Row]:
        """Every tag, as `tag` has one."""

        def page(turn: Turn, after: str) -> list[Row]:
            found = turn.all("rows/tags", after=after, limit=_PAGE)
            return [tags.shown(row["tag"], rows.tag(row, row["tag"], False)) for row in found]

        listed: list[Row] = []
        while True:
            after = listed[-1]["tag"] if listed else ""
            more = self._decide(lambda turn: page(turn, after))
            listed += more
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
        """Changes a tag, and gives it as it is then. An `until` of 2^63 - 1 removes the upper end."""
        return self._change_tag(tag, lambda row: tags.changed(tag, row, step, max_step, until))

    def advance_tag(self, tag: str, to: int) -> Row:
        """Has a tag go on at `to`, which is not below its next number."""
        return self._change_tag(tag, lambda row: tags.advanced(tag, row, to))

    def _change_tag(self, tag: str, change: Callable[[Row], Row]) -> Row:
        def write(turn: Turn) -> Row:
            row = self._tag(turn, {"tag": tag}, is_used=False)
            if row["deleted"]:
                raise errors.TagUnknownError(self._unknown("tag", tag))
            after = change(row)
            if after != row:
                turn.dialect.put_tag(turn, tag, row, after)
            return tags.shown(tag, after)

        return self._decide(write)

    def delete_tag(self, tag: str) -> None:
        """Deletes a tag. Its row stays, so that one made again goes on above it."""

        def delete(turn: Turn) -> None:
            row = self._tag(turn, {"tag": tag}, is_used=False)
            if row["deleted"]:
                raise errors.TagUnknownError(self._unknown("tag", tag))
            turn.dialect.put_tag(turn, tag, row, {**row, "deleted": True})

        self._decide(delete)

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
        last. A namespace that exists with other values is `LayoutMismatchError`; with `if_missing` only
        the values that are given here count.
        """
        said = namespaces.said(namespace, layout, workers, max_window)

        def create(turn: Turn) -> None:
            there = namespaces.read(turn, namespace)
            if there is None:
                columns = namespaces.columns(namespace, said, turn.floor_ms())
                turn.write("rows/namespace_add", columns)
            else:
                wanted = said if if_missing else namespaces.whole(namespace, said)
                declared.check("namespace", namespace, wanted, there.row, self._place)

        self._decide(create)

    def set_workers(self, namespace: str, workers: tuple[int, int]) -> None:
        """Hands out these worker numbers from now on: from the first to one more than the last."""

        def change(turn: Turn) -> None:
            namespaces.set_workers(turn, self._space(turn, {"namespace": namespace}), workers)

        self._decide(change)

    def release_worker(self, namespace: str, worker: int) -> None:
        """An operator's release: the holder goes on to the end in hand, and then others may."""

        def revoke(turn: Turn) -> None:
            space = self._space(turn, {"namespace": namespace})
            if not space.has(worker):
                raise space.worker_invalid(worker)
            row = turn.one("rows/worker", namespace=namespace, worker=worker)
            if row is None and not space.hands_out(worker):
                raise space.worker_invalid(worker)
            if row is not None:
                space.keep(turn)
                before = rows.worker(row, namespace)
                after = {**before, "owner": "", "sticky": False, "key": None}
                acquire.put(turn, namespace, before, after)

        self._decide(revoke)

    def lease_segment(self, ask: Row) -> Row:
        """Leases numbers of a tag."""
        self._make_wanted("create_tag", name_of(ask, "tag"))

        def lease(turn: Turn) -> Row | errors.LeafidError:
            before = self._tag(turn, ask)
            row, answer = registry.lease_segment(turn.store, before, ask, turn.now)
            # MySQL counts a row that stays as it is as not written.
            if any(row.get(field) != before.get(field) for field in ("max_id", "claimed_until")):
                turn.dialect.put_tag(turn, ask["tag"], before, row)
            return answer

        return self._answer(lease)

    def acquire(self, ask: Row) -> Row:
        """Gives a worker number and a window on it."""
        self._make_wanted("create_namespace", name_of(ask, "namespace"))
        return self._decide(lambda turn: acquire.acquire(turn, self._space(turn, ask), ask))

    def renew(self, ask: Row) -> Row:
        """Extends a window."""

        def renew(turn: Turn) -> Row | errors.LeafidError:
            space = self._space(turn, ask)
            before = acquire.find(turn, space, ask)
            row = before or {"worker": ask["worker"]}
            after, answer = registry.renew(turn.store, space.row, row, ask, turn.now)
            space.keep(turn)
            acquire.put(turn, space.name, before, after)
            return answer

        return self._answer(renew)

    def release(self, ask: Row) -> Row:
        """Takes back the rest of a window."""

        def release(turn: Turn) -> Row:
            space = self._space(turn, ask)
            before = acquire.find(turn, space, ask)
            row = before or {"worker": ask["worker"]}
            after, answer = registry.release(turn.store, row, ask, turn.now)
            space.keep(turn)
            acquire.put(turn, space.name, before, after)
            return answer

        return self._decide(release)

    def _answer(self, act: Callable[[Turn], Row | errors.LeafidError]) -> Row:
        """A refusal is raised when what it writes is written."""
        answer = self._decide(act)
        if isinstance(answer, errors.LeafidError):
            raise answer
        return answer

    def make_later(self, verb: str, name: str, how: Row) -> None:
        """Carries out `create_tag` or `create_namespace` before the first grant of that name. The
        namespace `default` is made with the store."""
        if verb == "create_namespace":
            said = namespaces.said(name, how.get("layout"), how.get("workers"))
            if name == "default" and self._made is not None:
                self._made.declare(said)
        self._wanted.setdefault((verb, name), []).append(how)

    def _declare(self, workers: tuple[int, int] | None) -> None:
        """Has the namespace `default` hand out these numbers."""
        if workers is not None and self._made is None:
            raise errors.WorkerInvalidError(
                "`workers` is the range of a namespace that is made: add `create=True`, or leave it out"
            )
        if workers is not None:
            self.make_later("create_namespace", "default", {"workers": workers, "if_missing": True})

    def _make_wanted(self, verb: str, name: str) -> None:
        for how in tuple(self._wanted.get((verb, name), ())):
            getattr(self, verb)(name, **how)
            # Another thread may have done the same meanwhile.
            with suppress(ValueError):
                self._wanted[verb, name].remove(how)

    def _tag(self, turn: Turn, ask: Row, is_used: bool = True) -> Row:
        found = _found(turn, ask)
        if found is None:
            raise errors.TagUnknownError(self._unknown("tag", ask["tag"]))
        return rows.tag(found, ask["tag"], is_used)

    def _space(self, turn: Turn, ask: Row) -> namespaces.Space:
        space = namespaces.read(turn, name_of(ask, "namespace"))
        if space is None:
            raise errors.NamespaceUnknownError(self._unknown("namespace", ask["namespace"]))
        return space

    def _unknown(self, kind: str, name: str) -> str:
        # Namespaces are made by the program of the server alone.
        program = "python -m leafid" if kind == "tag" else "leafid"
        return (
            f"there is no {kind} `{name}`: check its spelling, or create it: {program} {kind} create "
            f"{name} --store {self._place}"
        )


def name_of(ask: Row, kind: str) -> str:
    """The tag or the namespace that an ask names."""
    return rows.text(ask.get(kind) if isinstance(ask, dict) else None, f"`{kind}` of the ask")


def _found(turn: Turn, ask: Row) -> Row | None:
    tag = name_of(ask, "tag")
    found = turn.one("rows/tag", tag=tag)
    written = None if found is None else found["tag"]
    if written not in (None, tag):
        raise errors.TagUnknownError(
            f"tag `{tag}` is written `{written}` in `leaf_alloc`, whose collation takes both for one "
            f"name; use `{written}`"
        )
    return found
