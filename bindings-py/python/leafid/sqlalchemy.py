"""SQLAlchemy: primary keys from leafid, for blocking and async engines.

    orders = Segment("orders")

    class Order(Base):
        __tablename__ = "orders"
        id: Mapped[int] = id_column(orders)
"""

from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.exc import MissingGreenlet
from sqlalchemy.orm import MappedColumn, mapped_column
from sqlalchemy.util import await_only

from . import Generator, RequestInvalidError
from .errors import _NOT_AT_HAND

__all__ = ["NextId", "id_column"]


class NextId:
    """A default for a column: `Column("id", BigInteger, primary_key=True, default=NextId(orders))`.

    A wait for an ID under an async engine does not block the event loop.
    """

    def __init__(self, ids: Generator) -> None:
        if not callable(getattr(ids, "next", None)):
            raise RequestInvalidError(
                f"a column draws from a generator, such as `Segment(\"orders\")`, got `{ids!r:.80}`"
            )
        self.ids = ids

    def __call__(self) -> int:
        try:
            return self.ids.next()
        except _NOT_AT_HAND as why:
            # An event loop runs in this thread. Below an async engine, awaiting is possible.
            waiting = self.ids.anext()
            try:
                return int(await_only(waiting))
            except MissingGreenlet:
                waiting.close()
                raise why from None


def id_column(ids: Generator, **options: Any) -> MappedColumn[int]:
    """A `BIGINT` primary key whose default is the next ID; options go to `mapped_column`."""
    options.setdefault("primary_key", True)
    options.setdefault("autoincrement", False)
    return mapped_column(BigInteger, default=NextId(ids), **options)
