"""Worker numbers: which rows an acquire is decided on, as the server finds them."""

from __future__ import annotations

from typing import Any

from .. import errors, registry
from . import rows
from .file import TEXTS, Turn
from .namespaces import Space, unused

Row = dict[str, Any]

# An owner that was not seen for so long keeps nothing.
_MONTH_MS = 30 * 86_400_000


def acquire(turn: Turn, space: Space, ask: Row) -> Row:
    """A worker number and a first window."""
    name = space.name
    mine = _find(turn, "lookups/mine", namespace=name, key=_key(ask))
    candidates: dict[str, Row | None] = {"mine": mine}
    free = after = space.used_until
    fresh = None
    # A request that comes again is answered from its row, and nothing else is looked for.
    if mine is None:
        own = [
            rows.worker(row)
            for row in turn.all("lookups/own", namespace=name, owner=ask.get("owner"))
        ]
        candidates.update(zip(("own", "spare"), own, strict=False))
        if free < space.end:
            # What is noted is not believed without a look: a number with a row may be held.
            free = unused(turn, name, max(free, space.start), space.end)
            after = unused(turn, name, free + 1, space.end)
        fresh = free if space.hands_out(free) else None
        found = {"worker": fresh} if fresh is not None else _rested(turn, space, own, ask)
        candidates["rested"] = found
    row, freed, grant = registry.acquire(turn.store, space.row, candidates, ask, turn.now)
    if mine is not None:
        return grant
    for changed in (freed, row):
        if changed is not None:
            put(turn, name, changed)
    used_until = after if fresh == row["worker"] else free
    if used_until != space.used_until:
        space.put(turn, space.row, used_until)
    return grant


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


def _rested(turn: Turn, space: Space, own: list[Row], ask: Row) -> Row | None:
    """Of the numbers that were handed out, the one that rested longest and nobody else keeps; if
    none is free, the one that will be first."""
    looks = ("lookups/rested", "lookups/kept")
    found = [row for look in looks for row in turn.all(look, namespace=space.name, count=1)]
    # If the kept one of these is still kept, then so are all other kept ones.
    inside = [row for row in [*map(rows.worker, found), *own] if space.hands_out(row["worker"])]

    def rank(row: Row) -> tuple[bool, int]:
        kept = row["sticky"] and row["owner"] != ask.get("owner")
        return kept and turn.now - row["granted_ms"] < _MONTH_MS, row["reserved_until"]

    return min(inside, key=rank, default=None)


def _find(turn: Turn, text: str, **params: Any) -> Row | None:
    found = turn.one(text, **params)
    return None if found is None else rows.worker(found)


def _key(ask: Row) -> bytes:
    request = ask.get("request")
    try:
        return bytes.fromhex(request) if isinstance(request, str) else bytes(request or b"")
    except (ValueError, TypeError):
        raise errors.RequestInvalidError("`request` of the ask is not 32 hex digits") from None
