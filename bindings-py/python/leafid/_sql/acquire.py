"""Worker numbers: which rows an acquire is decided on, as the server finds them."""

from typing import Any

from .. import errors
from .._native import acquire_found
from . import rows
from .namespaces import Space, unused
from .turn import Turn

Row = dict[str, Any]

_ROWS = ("mine", "own", "spare", "rested", "kept")


def acquire(turn: Turn, space: Space, ask: Row) -> Row:
    """A worker number and a first window."""
    name = space.name
    found: Row = {"used_until": space.used_until}
    found["mine"] = _find(turn, "lookups/mine", namespace=name, key=_key(ask))
    # A request that comes again is answered from its row.
    if found["mine"] is None:
        owner = rows.text(ask.get("owner"), "`owner` of the ask")
        owned = turn.all("lookups/own", namespace=name, owner=owner)
        kept = (rows.worker(row, name) for row in owned)
        found.update(zip(("own", "spare"), kept, strict=False))
        found["rested"] = _find(turn, "lookups/rested", namespace=name, count=1)
        found["kept"] = _find(turn, "lookups/kept", namespace=name, count=1)
    decided = acquire_found(turn.store, space.row, found, ask, turn.now)
    if (start := decided.get("unused_from")) is not None:
        found["unused"] = unused(turn, name, start, space.end)
        decided = acquire_found(turn.store, space.row, found, ask, turn.now)
    if found["mine"] is None:
        if decided["used_until"] != space.used_until:
            space.put(turn, space.row, decided["used_until"])
        else:
            space.keep(turn)
        known = {row["worker"]: row for row in map(found.get, _ROWS) if row is not None}
        for after in (decided.get("freed"), decided["row"]):
            if after is not None:
                put(turn, name, known.get(after["worker"]), after)
    grant: Row = decided["grant"]
    return grant


def find(turn: Turn, space: Space, ask: Row) -> Row | None:
    """The row of a number that a holder names, if it was ever handed out."""
    worker = ask.get("worker")
    if not space.has(worker):
        raise space.worker_invalid(worker)
    return _find(turn, "rows/worker", namespace=space.name, worker=worker)


def put(turn: Turn, name: str, before: Row | None, after: Row) -> None:
    """Writes the row of a number, if it is as it was read."""
    columns = {"namespace": name, "worker": after["worker"], **rows.of_worker(after)}
    if before is None:
        turn.write("rows/worker_add", columns)
        return
    was = rows.of_worker(before)
    changed = [column for column, value in was.items() if columns[column] != value]
    if changed:
        turn.change_worker({**columns, **rows.before(was)}, changed)


def _find(turn: Turn, text: str, **params: Any) -> Row | None:
    found = turn.one(text, **params)
    return None if found is None else rows.worker(found, params["namespace"])


def _key(ask: Row) -> bytes:
    request = ask.get("request")
    try:
        return request if isinstance(request, bytes) else bytes.fromhex(str(request))
    except ValueError:
        raise errors.RequestInvalidError("`request` of the ask is not 32 hex digits") from None
