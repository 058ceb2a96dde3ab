"""SQLAlchemy: a primary key that comes from leafid, for engines of both kinds.

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

from . import ClockBehindError, RequestInvalidError, Segment, SegmentDryError, SequenceSpentError
from . import Snowflake, WindowSpentError

__all__ = ["NextId", "id_column"]

_NOT_AT_HAND = (SegmentDryError, WindowSpentError, SequenceSpentError, ClockBehindError)


class NextId:
    """A default for a column: `Column("id", BigInteger, primary_key=True, default=NextId(orders))`.

    Where an ID has to be waited for under an async engine, the event loop goes on.
    """

    def __init__(self, ids: Segment | Snowflake) -> None:
        if not callable(getattr(ids, "next", None)):
            raise RequestInvalidError(
                f"a column draws from a generator, such as `Segment(\"orders\")`, got `{ids!r:.80}`"
            )
        self.ids = ids

    def __call__(self) -> int:
        try:
            return self.ids.next()
        except _NOT_AT_HAND as why:
            # A loop runs in this thread. Below an async engine it can be waited in.
            waiting = self.ids.anext()
            try:
                return int(await_only(waiting))
            except MissingGreenlet:
                waiting.close()
                raise why from None


def id_column(ids: Segment | Snowflake, **options: Any) -> MappedColumn[int]:
    """A `BIGINT` primary key whose default is the next ID; options go to `mapped_column`."""
    options.setdefault("primary_key", True)
    options.setdefault("autoincrement", False)
    return mapped_column(BigInteger, default=NextId(ids), **options)
