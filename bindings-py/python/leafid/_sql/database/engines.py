"""Which engine is behind a connection."""

from __future__ import annotations

from . import words
from .engine import Engine, Queries
from .leaf import Leaf
from .mysql import Mysql
from .postgres import Postgres

__all__ = ["Engine", "engine_of"]


def engine_of(link: Queries, leaf: bool) -> Engine:
    """As the server says what it is."""
    said = words.text(link.values("SELECT version()")[0])
    if said.startswith("PostgreSQL"):
        if leaf:
            raise words.not_leafs(said)
        return Postgres(link)
    if "MariaDB" in said or said[:1].isdigit():
        return Leaf(link) if leaf else Mysql(link)
    raise words.no_driver(f"the database `{said}`")
