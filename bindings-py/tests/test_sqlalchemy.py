"""`leafid.sqlalchemy`, over real engines of both kinds."""

from __future__ import annotations

import asyncio
import time

import pytest
from sqlalchemy import BigInteger, Column, MetaData, Table, create_engine, func, insert, select
from sqlalchemy.exc import StatementError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import leafid
from leafid.sqlalchemy import NextId, id_column


def model(ids, events=None):
    class Base(DeclarativeBase):
        pass

    class Order(Base):
        __tablename__ = "orders"
        id: Mapped[int] = id_column(ids)
        event: Mapped[int | None] = mapped_column(
            BigInteger, default=NextId(events) if events else None
        )

    return Base, Order


def test_rows_of_an_engine(memory) -> None:
    orders, events = leafid.Segment("orders", memory), leafid.Snowflake(store=memory)
    base, order = model(orders, events)
    engine = create_engine("sqlite://")
    base.metadata.create_all(engine)
    assert isinstance(order.__table__.c.id.type, BigInteger)
    with Session(engine) as session:
        one = order()
        session.add(one)
        session.flush()
        assert one.id == 1 and one.event > 1
        session.add_all(order() for _ in range(500))
        session.commit()
        session.execute(insert(order), [{} for _ in range(20)])
        session.add(order(id=9_000))
        session.commit()
        ids = session.scalars(select(order.id).order_by(order.id)).all()
        assert ids == [*range(1, 522), 9_000]
        assert session.scalar(select(func.count(order.event.distinct()))) == 522


def test_a_table_of_the_core(memory) -> None:
    orders = leafid.Segment("orders", memory)
    column = Column("id", BigInteger, primary_key=True, default=NextId(orders))
    table = Table("orders", MetaData(), column)
    engine = create_engine("sqlite://")
    table.metadata.create_all(engine)
    with engine.begin() as connection:
        done = connection.execute(insert(table))
        assert done.inserted_primary_key == (1,)


class Slow:
    """A store that takes its time, as one over a network may."""

    def __init__(self, store) -> None:
        self.store = store

    def lease_segment(self, ask):
        time.sleep(0.3)
        return self.store.lease_segment(ask)


def test_an_async_engine_goes_on_with_the_loop(memory) -> None:
    memory.create_tag("orders", step=10, max_step=10)
    orders = leafid.Segment("orders", Slow(memory))
    base, order = model(orders)

    async def main() -> tuple[list[int], int]:
        engine = create_async_engine("sqlite+aiosqlite://")
        async with engine.begin() as connection:
            await connection.run_sync(base.metadata.create_all)
        turns = 0

        async def beside() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0.005)
                turns += 1

        task = asyncio.create_task(beside())
        async with AsyncSession(engine) as session:
            for _ in range(3):
                session.add_all(order() for _ in range(10))
                await session.commit()
            ids = (await session.scalars(select(order.id).order_by(order.id))).all()
        task.cancel()
        await engine.dispose()
        return list(ids), turns

    ids, turns = asyncio.run(main())
    assert ids == list(range(1, 31))
    print(f"the loop had {turns} turns while the store took 0.3 s each time")
    assert turns >= 10


def test_a_plain_engine_in_a_loop_is_told(memory) -> None:
    base, order = model(leafid.Segment("orders", Slow(memory)))
    engine = create_engine("sqlite://")
    base.metadata.create_all(engine)

    async def main() -> None:
        with Session(engine) as session:
            session.add(order())
            with pytest.raises(StatementError, match="SegmentDryError.*await ids.anext"):
                session.flush()

    asyncio.run(main())


def test_a_column_wants_a_generator() -> None:
    with pytest.raises(leafid.RequestInvalidError, match="from a generator, .* got `'orders'`"):
        id_column("orders")
