"""A tag or a namespace that exists with other values than a program declares: it is refused, since a
declaration must neither change it nor be ignored."""

from typing import Any

from .. import errors

Row = dict[str, Any]


def check(kind: str, name: str, said: Row, there: Row, place: str) -> None:
    """Compares what is said; a tag that was made with this `from` stands at it or above."""
    others = [
        f"`{field}` is {_shown(there[field])}, not {_shown(value)}"
        for field, value in said.items()
        if field != "from" and there[field] != value
    ]
    if there.get("max_id", 0) < said.get("from", 0):
        stands = f"it stands at {there['max_id']}, below {said['from']}, where it was to begin"
        others.insert(0, stands)
    if others:
        refused = errors.TagExistsError if kind == "tag" else errors.LayoutMismatchError
        raise refused(
            f"{kind} `{name}` exists already, and not as declared: {', '.join(others)}; declare what is "
            f"there, or change it: leafid {kind} set {name} --store {place}"
        )


def _shown(value: Any) -> str:
    if isinstance(value, dict) and "end" in value:
        return f"{value['start']}..{value['end']}"
    return "none" if value is None else str(value)
