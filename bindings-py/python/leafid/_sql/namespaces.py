"""Namespaces: their rows, and what of them may still change."""

import math
from typing import Any

from .. import errors, registry
from .._native import Layout
from . import rows
from .turn import Turn

Row = dict[str, Any]


class Space:
    """A namespace as it was read."""

    def __init__(self, name: str, found: Row) -> None:
        self.name, self.row = name, rows.namespace(found, name)
        self.used_until: int = found["used_until"]
        self.start: int = self.row["workers"]["start"]
        self.end: int = self.row["workers"]["end"]

    def has(self, worker: object) -> bool:
        """Whether it is a worker number of the layout."""
        bits: int = self.row["layout"]["worker_bits"]
        return type(worker) is int and 0 <= worker < 1 << bits

    def hands_out(self, worker: int) -> bool:
        return self.start <= worker < self.end

    def worker_invalid(self, worker: object) -> errors.LeafidError:
        return errors.WorkerInvalidError(
            f"worker {worker} is outside namespace `{self.name}`, which hands out workers "
            f"{self.start}..{self.end} of {1 << self.row['layout']['worker_bits']}"
        )

    def put(self, turn: Turn, row: Row, used_until: int) -> None:
        """Writes the row, if it is as it was read."""
        before = rows.before(rows.of_namespace(self.row, self.used_until))
        columns = {"namespace": self.name, **rows.of_namespace(row, used_until), **before}
        turn.write("rows/namespace_change", columns)

    def keep(self, turn: Turn) -> None:
        """Has it stay as it was read until the transaction ends: a fence changes it."""
        before = rows.before(rows.of_namespace(self.row, self.used_until))
        turn.find("rows/namespace_same", {"namespace": self.name, **before})


def said(
    name: str,
    layout: Any = None,
    workers: tuple[int, int] | None = None,
    max_window: float | None = None,
) -> Row:
    """What is said of a namespace, once it is checked."""
    given = {
        "layout": None if layout is None else _fields(layout),
        "workers": None if workers is None else _range(workers),
        "max_window_ms": None if max_window is None else _ms(max_window),
    }
    given = {field: value for field, value in given.items() if value is not None}
    whole(name, given)
    return given


def whole(name: str, given: Row) -> Row:
    """What is said of a namespace, and the defaults of the rest."""
    row = registry.namespace_row({"namespace": name, "layout": "leaf", **given})
    return {field: row[field] for field in ("layout", "workers", "max_window_ms")}


def columns(name: str, given: Row, floor_ms: int = 0) -> Row:
    """The columns of a new namespace of which this is said."""
    row = whole(name, given)
    row["floor"] = _floor(row["layout"], floor_ms)
    return {"namespace": name, **rows.of_namespace(row, row["workers"]["start"])}


def read(turn: Turn, name: str) -> Space | None:
    found = turn.one("rows/namespace", namespace=name)
    return None if found is None else Space(name, found)


def set_workers(turn: Turn, space: Space, workers: tuple[int, int]) -> None:
    """A number leaves the range only when it is free; one that leaves it is cleared."""
    before, after = space.row["workers"], _range(workers)
    row = {**space.row, "workers": after}
    checked = {"namespace": space.name, "layout": row["layout"], "workers": after}
    registry.namespace_row(checked)
    leaving = turn.one(
        "rows/leaving",
        namespace=space.name,
        before_start=before["start"],
        before_end=before["end"],
        after_start=after["start"],
        after_end=after["end"],
    )
    layout = row["layout"]
    if leaving is not None:
        free_ms = leaving["reserved_until"] * layout["tick_ms"] + layout["epoch_ms"]
        if free_ms > turn.now:
            raise errors.WorkersExhaustedError(
                f"worker {leaving['worker']} of namespace `{space.name}` cannot leave the range "
                f"yet: it is granted until {free_ms} (ms since 1970)",
                until_ms=free_ms,
            )
    space.put(turn, row, unused(turn, space.name, after["start"], after["end"]))
    turn.adjust("rows/range", {"namespace": space.name, **after})


def unused(turn: Turn, name: str, start: int, end: int) -> int:
    """The lowest number from `start` on that was never handed out; `end` or more if all were."""
    while start < end:
        found = turn.all("lookups/unused", namespace=name, **{"from": start})
        if found and "unused" in found[0]:
            return int(found[0]["unused"])
        # Numbers that were handed out, in their order: the first that is missing is looked for.
        for row in found:
            if row["worker"] != start:
                return start
            start += 1
        if not found:
            return start
    return start


def _fields(layout: Any) -> Row:
    if isinstance(layout, str):
        layout = getattr(Layout, layout, None)
    if not isinstance(layout, Layout):
        raise errors.LayoutInvalidError(
            f"there is no layout `{layout}`: use `leaf`, `edge`, `long` or `js53`, or a `Layout`"
        )
    names = ("epoch_ms", "tick_ms", "time_bits", "worker_bits", "sequence_bits")
    return {name: getattr(layout, name) for name in names}


def _range(workers: tuple[int, int]) -> Row:
    if not isinstance(workers, (tuple, list)) or len(workers) != 2:
        raise errors.WorkerInvalidError(
            "`workers` are two numbers, the first and one more than the last, such as `(0, 64)`, got "
            f"`{workers!r:.80}`"
        )
    start, end = workers
    return {"start": start, "end": end}


def _ms(seconds: float) -> int:
    if not math.isfinite(seconds * 1_000):
        raise errors.RequestInvalidError(
            f"`max_window` is a number of seconds, such as `60`, got `{seconds}`"
        )
    return round(seconds * 1_000)


def _floor(layout: Row, floor_ms: int) -> int:
    """The first tick that does not begin before the store's floor."""
    since = floor_ms - layout["epoch_ms"]
    if floor_ms == 0 or since < 0:
        return 0
    return min(int(-(-since // layout["tick_ms"])), int(1 << layout["time_bits"]))
