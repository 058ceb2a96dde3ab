"""`leafid.sqlalchemy` with real engines, blocking and async."""

import asyncio

import pytest
from sqlalchemy import BigInteger, create_engine, func, insert, select
from sqlalchemy.exc import StatementError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import leafid
from leafid.sqlalchemy import NextId, id_column
from support.gate import Gate, Slow
from support.waiting import PATIENCE


def model(ids, events=None):
    class Base(DeclarativeBase):
        pass

    class Order(Base):
        __tablename__ = "orders"
        id: Mapped[int] = id_column(ids)
        event: Mapped[int | None] = mapped_column(BigInteger, default=NextId(events) if events else None)

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


def test_an_async_engine_goes_on_with_the_loop() -> None:
    slow = Slow()
    orders = leafid.Segment("orders", slow, timeout=PATIENCE * 2)
    base, order = model(orders)

    async def main() -> list[int]:
        engine = create_async_engine("sqlite+aiosqlite://")
        async with engine.begin() as connection:
            await connection.run_sync(base.metadata.create_all)
        beside = asyncio.create_task(slow.count(asyncio.sleep))
        async with AsyncSession(engine) as session:
            for _ in range(3):
                session.add_all(order() for _ in range(10))
                await session.commit()
            ids = (await session.scalars(select(order.id).order_by(order.id))).all()
        beside.cancel()
        await engine.dispose()
        return list(ids)

    try:
        assert asyncio.run(main()) == list(range(1, 31))
    finally:
        slow.over = True
        orders.close()
    assert slow.turns >= 30, "ten for each range"


def test_a_plain_engine_in_a_loop_is_told() -> None:
    store = Gate()
    base, order = model(leafid.Segment("orders", store))
    engine = create_engine("sqlite://")
    base.metadata.create_all(engine)

    async def main() -> None:
        with Session(engine) as session:
            session.add(order())
            with pytest.raises(StatementError, match="SegmentDryError.*await ids.anext"):
                session.flush()

    try:
        asyncio.run(main())
    finally:
        store.gate.set()


def test_a_column_wants_a_generator() -> None:
    with pytest.raises(leafid.RequestInvalidError, match="from a generator, .* got `'orders'`"):
        id_column("orders")
