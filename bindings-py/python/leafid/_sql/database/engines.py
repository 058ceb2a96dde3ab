"""Which engine is behind a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import words
from .engine import Engine
from .leaf import Leaf
from .mysql import Mysql
from .postgres import Postgres

if TYPE_CHECKING:
    from .link import Link

__all__ = ["Engine", "engine_of"]


def engine_of(link: Link, leaf: bool) -> Engine:
    """As the server says what it is."""
    said = words.text(link.values("SELECT version()")[0])
    if said.startswith("PostgreSQL"):
        if leaf:
            raise words.not_leafs(said)
        return Postgres(link)
    if "MariaDB" in said or said[:1].isdigit():
        return Leaf(link) if leaf else Mysql(link)
    raise words.no_driver(f"the database `{said}`")
