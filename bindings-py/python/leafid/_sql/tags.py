"""What of a tag may change, and in which words it may not: those of the server."""

from typing import Any

from .. import errors

Row = dict[str, Any]

_END, _STEP = 2**63 - 1, 2**31 - 1


def changed(
    tag: str, row: Row, step: int | None, max_step: int | None, until: int | None
) -> Row:
    """The row with these values; an `until` of 2^63 - 1 is none."""
    step = row["step"] if step is None else step
    max_step = row["max_step"] if max_step is None else max_step
    if not (_is_whole(step) and _is_whole(max_step) and 1 <= step <= max_step <= _STEP):
        raise errors.StepInvalidError(
            f"tag `{tag}` needs 1 <= step <= max_step <= {_STEP}, got step {step} and max_step "
            f"{max_step}"
        )
    if until is None:
        until = row["until"]
    elif not _is_whole(until) or not row["max_id"] <= until <= _END:
        raise errors.RangeInvalidError(
            f"until must be {row['max_id']} to {_END}, got `{until}`: the position of tag `{tag}` is "
            f"{row['max_id']}, and numbers below may have been granted; {_END}, on the command line "
            "`none`, is no upper end"
        )
    return {**row, "step": step, "max_step": max_step, "until": None if until == _END else until}


def advanced(tag: str, row: Row, to: int) -> Row:
    """The row with its position at `to`, never below the present one; what was claimed is settled."""
    max_id, end = row["max_id"], row["until"] or _END
    if not _is_whole(to) or to < max_id:
        raise errors.RangeInvalidError(
            f"the position of tag `{tag}` is {max_id} and cannot go back to {to}, because the numbers "
            f"between may have been granted; name {max_id} or more"
        )
    if to > end:
        raise errors.RangeInvalidError(
            f"tag `{tag}` ends at {end} and cannot be advanced to {to}; name {end} or less, or "
            f"raise its upper end first: leafid tag set {tag} --until N"
        )
    return {**row, "max_id": to, "claimed_until": None}


def shown(tag: str, row: Row) -> Row:
    """A row as callers see it."""
    return {"tag": tag, **{name: row[name] for name in ("max_id", "step", "max_step", "until", "claimed_until")}}


def _is_whole(value: object) -> bool:
    return type(value) is int
