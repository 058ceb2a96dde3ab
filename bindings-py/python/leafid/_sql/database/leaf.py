"""Leaf's database: its table `leaf_alloc` keeps the tags, unchanged, and a Leaf may run at the same
time. Everything else is in our own tables, named `leafid_…`."""

from ... import errors
from . import words
from .engine import Queries
from .mysql import Mysql


class Leaf(Mysql):
    dialect, prefix = "leaf", "leafid_"
    # No lock: a tag is read from two tables, and a Leaf would not wait for it.
    locking = ""

    def place(self, link: Queries) -> str:
        return f"{super().place(link)}?tags=leaf_alloc"

    def examine(self, link: Queries, place: str) -> None:
        super().examine(link, place)
        mismatch, refused = link.told("columns")
        if mismatch is not None:
            raise errors.SchemaMismatchError(f"{place} {words.text(mismatch)}")
        if refused is not None:
            raise errors.StoreRefusedError(f"{place} {words.text(refused)}")
