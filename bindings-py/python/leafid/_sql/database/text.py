"""Texts with named parameters, as drivers take them."""

import re
from functools import cache

# A comment, a text in quotes, a cast, a parameter, or what a driver takes for the mark of one.
_PART = re.compile(r"--[^\n]*|'[^']*'|::|:([a-z_0-9]+)|%")
# How a driver writes a parameter, by its `paramstyle`.
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
    # Without parameters a driver looks for no marks.
    return (sql if names and mark == "%s" else sql.replace("%%", "%")), tuple(names)


def statements(text: str) -> list[str]:
    """The statements of a text without parameters."""
    sql, _ = translated(text, "?")
    return [statement.strip() for statement in sql.split(";") if statement.strip()]


# Our tables behind a word that stands before the name of one, and in quotes.
_TABLE = re.compile(r"((?:FROM|INTO|UPDATE|EXISTS|JOIN|TABLE) |')(meta|tags|namespaces|workers)\b")


# A table that a text reads or writes, ours or Leaf's.
_USED = re.compile(
    r"\b(?:FROM|INTO|UPDATE|JOIN) ((?:leafid_)?(?:meta|tags|namespaces|workers)|leaf_alloc)\b"
)


@cache
def tables_of(text: str) -> tuple[str, ...]:
    """The tables that a text reads or writes, as they are called in it."""
    return tuple(dict.fromkeys(_USED.findall(re.sub(r"(?m)--.*$", "", text))))


def beside(text: str, prefix: str = "leafid_") -> str:
    """The text with our tables under their names beside another program's."""
    bare = re.sub(r"(?m)^--.*\n?", "", text)
    return _TABLE.sub(lambda found: f"{found[1]}{prefix}{found[2]}", bare)
