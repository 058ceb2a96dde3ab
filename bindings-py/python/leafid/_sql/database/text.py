"""Texts in the form of a driver, and its own."""

import re
from functools import cache

# A text, and the names of its parameters in the order of their values.
Text = tuple[str, tuple[str, ...]]
# A parameter: `?`, or PostgreSQL's `$1`, which may come again.
_PLACE = re.compile(r"\?|\$(\d+)")
# The placeholder of a driver, by its `paramstyle`.
MARKS = {"format": "%s", "pyformat": "%s", "qmark": "?"}
# A table in use, ours or Leaf's.
_USED = re.compile(
    r"\b(?:FROM|INTO|UPDATE|JOIN) ((?:leafid_)?(?:meta|tags|namespaces|workers|servers)|leaf_alloc)\b"
)


def as_text(value: object) -> str:
    """The text of a value that a driver may give as bytes."""
    return bytes(value).decode() if isinstance(value, (bytes, bytearray, memoryview)) else str(value)


@cache
def translated(text: Text, mark: str) -> Text:
    """The text with a driver's placeholders, each of which takes a value of its own."""
    sql, names = text
    # Without parameters, drivers do not look for placeholders.
    if not names:
        return text
    order = [names[int(number) - 1] if number else None for number in _PLACE.findall(sql)]
    if mark == "%s":
        sql = sql.replace("%", "%%")
    return _PLACE.sub(mark, sql), names if None in order else tuple(filter(None, order))


@cache
def tables_of(sql: str) -> tuple[str, ...]:
    """The names of the tables that a statement reads or writes."""
    return tuple(dict.fromkeys(_USED.findall(sql)))
