"""Rows as columns: called what the core calls the fields, but that a layout's lie flat beside the
others, and a range is `workers_start` and `workers_end`. Drivers differ in what they give for a flag,
bytes or a text that is kept as bytes."""

from typing import Any

from .. import errors, registry

Row = dict[str, Any]

_END, _STEP = 2**63 - 1, 2**31 - 1
_LAYOUT = ("epoch_ms", "tick_ms", "time_bits", "worker_bits", "sequence_bits")
_TAG = ("max_id", "step", "max_step", "deleted", "until", "claimed_until")
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


def tag(found: Row, name: str, is_used: bool = True) -> Row:
    """The row of a tag as it was read, to be leased from, or only to be changed or shown. `SCHEMA_MISMATCH` for what no program of ours writes, and
    `STEP_INVALID` for a step of 0, which another program may have written: there is a command for it."""
    row = {column: found[column] for column in _TAG}
    about = f"tag `{name}`"
    if row["step"] == 0 and is_used:
        raise errors.StepInvalidError(
            f"{about} has a step of 0 or less in the store, and a lease would have no number; set it: leafid tag "
            f"set {name} --step N"
        )
    _check(row, about, max_id=(1, _END), step=(0, _STEP), max_step=(1, _STEP), deleted=(0, 1))
    for end in ("until", "claimed_until"):
        if row[end] is not None:
            _check(row, about, **{end: (0, _END)})
    return {**row, "deleted": bool(row["deleted"])}


def of_worker(row: Row) -> Row:
    key = row.get("key")
    columns = {name: row.get(name) for name in _WORKER}
    return {**columns, "key": None if key is None else bytes.fromhex(key)}


def worker(found: Row, namespace: str) -> Row:
    """The row of a worker number as it was read. `SCHEMA_MISMATCH` as for a tag."""
    key, owner = found["key"], found["owner"]
    row = {name: found[name] for name in ("worker", *_WORKER)}
    about = f"namespace `{namespace}`"
    ends = {name: (0, _END) for name in ("worker", "held_from", "reserved_until", "granted_ms")}
    _check(row, about, sticky=(0, 1), **ends)
    if key is not None and (isinstance(key, str) or len(bytes(key)) != 16):
        raise _odd(about, "key", key)
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


def namespace(found: Row, name: str) -> Row:
    """The row of a namespace as it was read. `SCHEMA_MISMATCH` as for a tag."""
    about = f"namespace `{name}`"
    numbers = ("max_window_ms", "workers_start", "workers_end", "floor", "used_until")
    layout = {column: (0, _END) for column in _LAYOUT} | {"epoch_ms": (-_END, _END)}
    _check(found, about, **layout, **{column: (0, _END) for column in numbers})
    row = {
        "layout": {column: found[column] for column in _LAYOUT},
        "workers": {"start": found["workers_start"], "end": found["workers_end"]},
        "max_window_ms": found["max_window_ms"],
    }
    try:
        registry.namespace_row({"namespace": name, **row})
    except errors.LeafidError as error:
        raise _odd(about, "layout", row) from error
    return {**row, "floor": found["floor"]}


def _check(row: Row, about: str, **limits: tuple[int, int]) -> None:
    for name, (least, most) in limits.items():
        # Flags are numbers in some databases, and there `isinstance` takes one for the other.
        if not isinstance(row[name], int) or not least <= row[name] <= most:
            raise _odd(about, name, row[name])


def _odd(about: str, name: str, value: object) -> errors.LeafidError:
    return errors.SchemaMismatchError(
        f"a row of {about} has a value that leafid did not write (`{name}` is `{value!s:.80}`); put back "
        "what it was, or a higher position and later times, and nothing is granted twice"
    )


def before(columns: Row) -> Row:
    """Columns as they were read, for the condition of a change."""
    return {f"was_{name}": value for name, value in columns.items()}
