"""Translates texts with named parameters for drivers."""

import re
from functools import cache

# A comment, a quoted text, a cast, a parameter, or a `%`, which drivers would take for a placeholder.
_PART = re.compile(r"--[^\n]*|'[^']*'|::|:([a-z_0-9]+)|%")
# The placeholder of a driver, by its `paramstyle`.
MARKS = {"format": "%s", "pyformat": "%s", "qmark": "?"}


@cache
def translated(text: str, mark: str) -> tuple[str, tuple[str, ...]]:
    """The statement, and the names of its parameters in the order of their values."""
    names: list[str] = []

    def part(found: re.Match[str]) -> str:
        if found[1] is not None:
            names.append(found[1])
            return mark
        return "" if found[0].startswith("--") else found[0].replace("%", "%%")

    sql = _PART.sub(part, text).strip().rstrip(";")
    # Without parameters, drivers do not look for placeholders.
    return (sql if names and mark == "%s" else sql.replace("%%", "%")), tuple(names)


def statements(text: str) -> list[str]:
    """The statements of a text without parameters."""
    sql, _ = translated(text, "?")
    return [statement.strip() for statement in sql.split(";") if statement.strip()]


# One of our tables, after a keyword that precedes a table, or in quotes.
_TABLE = re.compile(r"((?:FROM|INTO|UPDATE|EXISTS|JOIN|TABLE) |')(meta|tags|namespaces|workers)\b")


# A table in use, ours or Leaf's.
_USED = re.compile(
    r"\b(?:FROM|INTO|UPDATE|JOIN) ((?:leafid_)?(?:meta|tags|namespaces|workers)|leaf_alloc)\b"
)


@cache
def tables_of(text: str) -> tuple[str, ...]:
    """The names of the tables that a text reads or writes."""
    return tuple(dict.fromkeys(_USED.findall(re.sub(r"(?m)--.*$", "", text))))


def beside(text: str, prefix: str = "leafid_") -> str:
    """The text with our tables' names prefixed, for a database with another program's tables."""
    bare = re.sub(r"(?m)^--.*\n?", "", text)
    return _TABLE.sub(lambda found: f"{found[1]}{prefix}{found[2]}", bare)
