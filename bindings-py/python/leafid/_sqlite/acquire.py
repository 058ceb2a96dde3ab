"""Worker numbers: which rows an acquire is decided on, as the server finds them."""

from __future__ import annotations

from typing import Any

from .. import errors
from .._native import acquire_found
from . import rows
from .file import TEXTS, Turn
from .namespaces import Space, unused

Row = dict[str, Any]

_read = rows.worker


def acquire(turn: Turn, space: Space, ask: Row) -> Row:
    """A worker number and a first window."""
    name = space.name
    found: dict[str, Any] = {"used_until": space.used_until}
    found["mine"] = _find(turn, "lookups/mine", namespace=name, key=_key(ask))
    # A request that comes again is answered from its row.
    if found["mine"] is None:
        own = [_read(row) for row in turn.all("lookups/own", namespace=name, owner=ask.get("owner"))]
        found.update(zip(("own", "spare"), own, strict=False))
        found["rested"] = _find(turn, "lookups/rested", namespace=name, count=1)
        found["kept"] = _find(turn, "lookups/kept", namespace=name, count=1)
    decided = acquire_found(turn.store, space.row, found, ask, turn.now)
    if (start := decided.get("unused_from")) is not None:
        found["unused"] = unused(turn, name, start, space.end)
        decided = acquire_found(turn.store, space.row, found, ask, turn.now)
    if found["mine"] is None:
        for changed in (decided.get("freed"), decided["row"]):
            if changed is not None:
                put(turn, name, changed)
        if decided["used_until"] != space.used_until:
            space.put(turn, space.row, decided["used_until"])
    return decided["grant"]


def find(turn: Turn, space: Space, ask: Row) -> Row:
    """The row of a number that a holder names, as it stands or would be made."""
    worker = ask.get("worker")
    if type(worker) is not int or not 0 <= worker < 1 << space.row["layout"]["worker_bits"]:
        raise space.worker_invalid(worker)
    found = _find(turn, "rows/worker", namespace=space.name, worker=worker)
    return {"worker": worker} if found is None else found


def put(turn: Turn, name: str, row: Row) -> None:
    """Writes the row of a number, in this transaction as it was read."""
    columns = {"namespace": name, "worker": row["worker"], **rows.of_worker(row)}
    found = _find(turn, "rows/worker", namespace=name, worker=row["worker"])
    if found is None:
        turn.write(TEXTS["rows/worker_add"], columns)
        return
    was = rows.of_worker(found)
    changed = [column for column, value in was.items() if columns[column] != value]
    if changed:
        # Only what changes is set: an index that has the column is written, too.
        settings = ", ".join(f"{column} = :{column}" for column in changed)
        text = f"UPDATE workers SET {settings}\n{TEXTS['rows/worker_was']}"
        turn.write(text, {**columns, **rows.before(was)})


def _find(turn: Turn, text: str, **params: Any) -> Row | None:
    found = turn.one(text, **params)
    return None if found is None else _read(found)


def _key(ask: Row) -> bytes:
    request = ask.get("request")
    try:
        return bytes.fromhex(request) if isinstance(request, str) else bytes(request or b"")
    except (ValueError, TypeError):
        raise errors.RequestInvalidError("`request` of the ask is not 32 hex digits") from None
