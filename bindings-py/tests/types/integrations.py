"""Type checks of the integrations in strict users' code. Django has no types, so its models are not
included."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI
from leafid import Segment, Snowflake
from leafid.fastapi import lifespan, next_id
from leafid.prometheus import Collector
from leafid.pydantic import Id
from leafid.sqlalchemy import NextId, id_column
from prometheus_client import REGISTRY
from pydantic import BaseModel
from sqlalchemy import BigInteger
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

orders = Segment("orders")
events = Snowflake()


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = id_column(orders)
    event: Mapped[int] = mapped_column(BigInteger, default=NextId(events))


class Shown(BaseModel):
    id: Id


number: int = Shown(id=1001).id + 1
REGISTRY.register(Collector(orders, events))
app = FastAPI(lifespan=lifespan(orders, events, wait=1.0))


@app.post("/orders")
async def create(id: Annotated[int, Depends(next_id(orders))]) -> Shown:
    return Shown(id=id)


@asynccontextmanager
async def own(app: FastAPI) -> AsyncGenerator[None]:
    async with lifespan(orders)(app):
        yield
