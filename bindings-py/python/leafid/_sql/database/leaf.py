"""Leaf's database: its table `leaf_alloc` keeps the tags, unchanged, and a Leaf may run at the same
time. Everything else is in our own tables, named `leafid_…`."""

from ... import errors
from .engine import Queries
from .mysql import Mysql
from .text import as_text


def not_leafs(said: str) -> errors.LeafidError:
    return errors.RequestInvalidError(
        f"`tags=leaf_alloc` is for Leaf's own table in MySQL or MariaDB, and this is {said}; leave it "
        "out"
    )


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
            raise errors.SchemaMismatchError(f"{place} {as_text(mismatch)}")
        if refused is not None:
            raise errors.StoreRefusedError(f"{place} {as_text(refused)}")
