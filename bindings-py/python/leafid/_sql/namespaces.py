"""What is said of a namespace, as callers write it."""

import math
from typing import Any

from .. import errors, registry
from .._native import Layout

Row = dict[str, Any]


def said(
    name: str,
    layout: Any = None,
    workers: tuple[int, int] | None = None,
    max_window: float | None = None,
) -> Row:
    """What is said of a namespace, once it is checked."""
    given = {
        "layout": None if layout is None else _fields(layout),
        "workers": None if workers is None else range_of(workers),
        "max_window_ms": None if max_window is None else _ms(max_window),
    }
    given = {field: value for field, value in given.items() if value is not None}
    registry.namespace_row({"namespace": name, "layout": "leaf", **given})
    return given


def _fields(layout: Any) -> Row:
    if isinstance(layout, str):
        layout = getattr(Layout, layout, None)
    if not isinstance(layout, Layout):
        raise errors.LayoutInvalidError(
            f"there is no layout `{layout}`: use `leaf`, `edge`, `long` or `js53`, or a `Layout`"
        )
    names = ("epoch_ms", "tick_ms", "time_bits", "worker_bits", "sequence_bits")
    return {name: getattr(layout, name) for name in names}


def range_of(workers: tuple[int, int]) -> Row:
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
