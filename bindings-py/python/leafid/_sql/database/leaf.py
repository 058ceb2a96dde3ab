"""Leaf's database: its `leaf_alloc` keeps the tags, unchanged, while a Leaf may run beside us; what it
has no room for stands in tables of ours, called `leafid_…`."""

from ... import errors
from . import words
from .engine import Queries
from .mysql import TEXTS, Mysql
from .text import beside


class Leaf(Mysql):
    dialect = "leaf"
    # A tag is read out of two tables, and a Leaf waits for nobody.
    locking = ""

    def __init__(self, link: Queries) -> None:
        # A tag's position stands in Leaf's table.
        super().__init__(link, {**TEXTS, "meta/found": TEXTS["leaf/found"]})

    def named(self, text: str) -> str:
        return beside(text)

    def place(self, link: Queries) -> str:
        return f"{super().place(link)}?tags=leaf_alloc"

    def examine(self, link: Queries, place: str) -> None:
        super().examine(link, place)
        mismatch, refused = link.values(TEXTS["leaf/columns"])
        if mismatch is not None:
            raise errors.SchemaMismatchError(f"{place} {words.text(mismatch)}")
        if refused is not None:
            raise errors.StoreRefusedError(f"{place} {words.text(refused)}")
