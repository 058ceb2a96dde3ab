"""Leaf's database: its table `leaf_alloc` keeps the tags, unchanged, and a Leaf may run at the same
time. Everything else is in our own tables, named `leafid_…`."""

from ... import errors
from . import words
from .engine import Queries
from .mysql import TEXTS, Mysql
from .text import beside


class Leaf(Mysql):
    dialect = "leaf"
    # No lock: a tag is read from two tables, and a Leaf would not wait for it.
    locking = ""

    def __init__(self, link: Queries) -> None:
        # A tag's position is in Leaf's table.
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
