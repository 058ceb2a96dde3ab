"""Rows as columns: called what the core calls the fields, but that a layout's lie flat beside the
others, and a range is `workers_start` and `workers_end`. Drivers differ in what they give for a flag,
bytes or a text that is kept as bytes."""

from __future__ import annotations

from typing import Any

from .. import errors

Row = dict[str, Any]

_LAYOUT = ("epoch_ms", "tick_ms", "time_bits", "worker_bits", "sequence_bits")
_TAG = ("max_id", "step", "max_step", "deleted", "until")
_WORKER = ("owner", "sticky", "key", "held_from", "reserved_until", "granted_ms")


def text(value: object, what: str) -> str:
    """A text that can be written.

    `REQUEST_INVALID` for anything else, halves of characters among it.
    """
    try:
        if isinstance(value, str) and value.encode() is not None:
            return value
    except UnicodeEncodeError:
        pass
    raise errors.RequestInvalidError(f"{what} is missing, or not a text")


def of_tag(row: Row) -> Row:
    return {name: row.get(name) for name in _TAG}


def tag(found: Row) -> Row:
    row = {name: found[name] for name in _TAG}
    limits = {"max_id": 2**63 - 1, "step": 2**31 - 1, "max_step": 2**31 - 1}
    for name, most in limits.items():
        if type(row[name]) is not int or not 1 <= row[name] <= most:
            raise errors.SchemaMismatchError(
                f"the row of a tag has `{name}` {row[name]!r:.80}, which nothing of leafid writes: it "
                f"is 1 to {most}; look who changed it, and set it right by hand"
            )
    return {**row, "deleted": bool(row["deleted"])}


def of_worker(row: Row) -> Row:
    key = row.get("key")
    columns = {name: row.get(name) for name in _WORKER}
    return {**columns, "key": None if key is None else bytes.fromhex(key)}


def worker(found: Row) -> Row:
    key, owner = found["key"], found["owner"]
    row = {name: found[name] for name in ("worker", *_WORKER)}
    return {
        **row,
        "owner": owner if isinstance(owner, str) else bytes(owner).decode(),
        "sticky": bool(row["sticky"]),
        "key": None if key is None else bytes(key).hex(),
    }


def of_namespace(row: Row, used_until: int) -> Row:
    workers = row["workers"]
    return {
        **{name: row["layout"][name] for name in _LAYOUT},
        "max_window_ms": row["max_window_ms"],
        "workers_start": workers["start"],
        "workers_end": workers["end"],
        "floor": row["floor"],
        "used_until": used_until,
    }


def namespace(found: Row) -> Row:
    return {
        "layout": {name: found[name] for name in _LAYOUT},
        "workers": {"start": found["workers_start"], "end": found["workers_end"]},
        "max_window_ms": found["max_window_ms"],
        "floor": found["floor"],
    }


def before(columns: Row) -> Row:
    """Columns as they were read, for the condition of a change."""
    return {f"was_{name}": value for name, value in columns.items()}
