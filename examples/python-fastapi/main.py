"""A shop: FastAPI, SQLAlchemy and leafid over one PostgreSQL, and nothing else.

    DATABASE_URL=postgresql://USER:PASSWORD@HOST/DATABASE python main.py

Order numbers are leased from a table beside the orders; clients see `order_` and 11 digits, which do
not reveal how many orders there are.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, HTTPException
from leafid import IdInvalidError, Segment, SqlStore
from leafid.fastapi import lifespan
from leafid.public import Scrambler
from leafid.sqlalchemy import id_column
from pydantic import BaseModel
from sqlalchemy import String, func, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

URL = os.environ["DATABASE_URL"]
# `create=True` creates leafid's tables and the tag. Remove it once they exist: then a database that
# lost its data is detected, and does not begin at 1 again.
ids = Segment("orders", SqlStore(URL, create=True), create=True)
# 32 hex digits: `openssl rand -hex 16`. With another key, existing texts mean other orders.
public = Scrambler(bytes.fromhex(os.environ.get("ID_KEY", "00" * 16)), "orders", prefix="order")
engine = create_async_engine("postgresql+psycopg://" + URL.partition("://")[2])
sessions = async_sessionmaker(engine, expire_on_commit=False)


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "shop_orders"
    id: Mapped[int] = id_column(ids)
    name: Mapped[str] = mapped_column(String(100))


class New(BaseModel):
    name: str


class Shown(BaseModel):
    id: str
    name: str


@asynccontextmanager
async def running(app: FastAPI) -> AsyncGenerator[None]:
    async with engine.begin() as connection:
        # Several processes start at once, and PostgreSQL fails if two create one table.
        await connection.execute(select(func.pg_advisory_xact_lock(1)))
        await connection.run_sync(Base.metadata.create_all)
    async with lifespan(ids)(app):
        yield
    await engine.dispose()


async def session() -> AsyncGenerator[AsyncSession]:
    async with sessions() as opened:
        yield opened


Session = Annotated[AsyncSession, Depends(session)]
app = FastAPI(lifespan=running)


@app.post("/orders", status_code=201)
async def create(new: New, session: Session) -> Shown:
    order = Order(name=new.name)
    session.add(order)
    await session.commit()
    return Shown(id=public.encode(order.id), name=order.name)


@app.get("/orders/{id}")
async def find(id: str, session: Session) -> Shown:
    try:
        order = await session.get(Order, public.decode(id))
    except IdInvalidError as error:
        raise HTTPException(404, str(error)) from error
    if order is None:
        raise HTTPException(404, f"there is no order `{id}`")
    return Shown(id=id, name=order.name)


if __name__ == "__main__":
    port, workers = int(os.environ.get("PORT", "8000")), int(os.environ.get("WORKERS", "2"))
    # On a busy machine a worker may be slow to answer its parent.
    uvicorn.run("main:app", port=port, workers=workers, timeout_worker_healthcheck=60)
