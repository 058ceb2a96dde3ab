"""Leaf's database: its `leaf_alloc` keeps the tags, unchanged, while a Leaf may run beside us; what it
has no room for stands in tables of ours, called `leafid_…`."""

from typing import Any

from ... import errors
from .. import rows
from ..turn import Turn
from . import words
from .engine import Queries
from .mysql import TEXTS, Mysql
from .text import beside

Row = dict[str, Any]

# What stands in Leaf's table, too, is read and written by texts of its own.
_OWN = {"rows/tag": "leaf/tag", "rows/tag_change": "leaf/tag_change", "meta/found": "leaf/found"}


class Leaf(Mysql):
    # A tag is read out of two tables, and a Leaf waits for nobody.
    locking = ""

    def __init__(self, link: Queries) -> None:
        super().__init__(link, {**TEXTS, **{name: TEXTS[own] for name, own in _OWN.items()}})

    def named(self, text: str) -> str:
        return beside(text)

    def place(self, link: Queries) -> str:
        return f"{super().place(link)}?tags=leaf_alloc"

    def examine(self, link: Queries, place: str) -> None:
        super().examine(link, place)
        found = link.values(TEXTS["leaf/columns"])
        if not found:
            raise errors.SchemaMismatchError(
                f"{place} has no table `leaf_alloc`, which was to keep the tags; name Leaf's own "
                "database, or leave out `tags=leaf_alloc` for a store without Leaf"
            )
        if int(found[1]) < 3:
            raise errors.SchemaMismatchError(
                f"{place} has a table `leaf_alloc` without `biz_tag`, `max_id` and `step`, so it is "
                "not Leaf's; name Leaf's own database"
            )
        engine = words.text(found[0])
        if engine.lower() != "innodb":
            raise words.no_transactions(place, "leaf_alloc", engine)

    def put_tag(self, turn: Turn, tag: str, before: Row | None, after: Row) -> None:
        """Where only the position moves, Leaf's row alone is written, and what of ours stands beside
        it. Leaf's row is made first: that waits for whoever deletes it, and only then do our rows
        have the position that it leaves."""
        columns = {"tag": tag, **rows.of_tag(after)}
        if before is None:
            turn.write("leaf/tag_add", columns)
            turn.find("leaf/tag_none", columns)
            turn.write("rows/tag_add", columns)
            return
        both = {**columns, **rows.before(rows.of_tag(before))}
        if before["deleted"]:
            turn.write("leaf/tag_add", both)
            turn.find("leaf/tag_held", both)
        elif after["deleted"]:
            turn.write("leaf/tag_delete", both)
        else:
            turn.write("rows/tag_change", both)
            beside = ("max_step", "until", "claimed_until")
            if all(before[name] == after.get(name) for name in beside):
                return
        turn.adjust("leaf/tag_own", both)
