"""Strict users' code: mypy and pyright must accept everything but the marked lines."""

import asyncio
from array import array
from typing import NewType

import leafid
import numpy
from leafid import HttpStore, Layout, MemoryStore, Segment, Snowflake, SqlStore
from leafid.public import Scrambler, base58
from leafid.testing import Clock, conform


OrderId = NewType("OrderId", int)
PageId = NewType("PageId", int)


class Own:
    def lease_segment(self, ask: dict[str, object]) -> dict[str, object]:
        return {}


orders: Segment = Segment("orders", "http://127.0.0.1:8750", step=5, timeout=2.5)
number: int = orders.next(timeout=1)
numbers: list[int] = orders.take(5)
orders.fill(array("Q", [0]))
orders.fill(bytearray(80))
filled: int = orders.fill_available(array("Q", [0]))
orders.fill(numpy.zeros(10, numpy.int64), timeout=1)
filled = orders.fill_available(numpy.zeros((2, 5), numpy.uint64))
orders.release()
with Snowflake(store=HttpStore("http://127.0.0.1:8750"), layout="edge") as ids:
    parts = leafid.decode(next(ids), Layout.edge)
    when: float = parts.time.timestamp() + parts.worker
Segment("orders", Own())
Segment("orders", MemoryStore(clock=Clock()))
pages: Snowflake = Snowflake("pages", SqlStore("mysql://u:p@h/d"), create=True, workers=(0, 8))
typed: leafid.Segment[OrderId] = Segment("orders")
order: OrderId = typed.next()
listed: list[OrderId] = typed.take(3)


def draw(ids: leafid.Generator[PageId]) -> PageId:
    return next(ids)


page: PageId = draw(Snowflake[PageId]("pages"))
passed: list[str] = conform(Own())
public = Scrambler(b"0123456789abcdef", "orders", prefix="order", alphabet="base62")
shown: str = public.encode(number) + base58(number)
number = public.decode(shown)


async def main() -> None:
    async with Segment("orders", Own()) as ids:
        number: int = await ids.anext(timeout=1)
        numbers: list[int] = await ids.atake(5)
        await ids.aready(5)
        task: asyncio.Task[int] = asyncio.create_task(ids.anext())
        async for id in ids:
            number = id
        await ids.arelease()
        print(number, numbers, task)
    await Snowflake().aclose()


leafid.release_all()
leafid.forget_all()
try:
    text: str = leafid.base32(number)
except leafid.IdInvalidError as error:
    code: str = error.code
    wait: float | None = error.retry_after


def wrong() -> None:
    """Code that both must refuse; mypy reports an ignore comment that is not needed."""
    Segment("orders", 17)  # type: ignore[arg-type]
    Segment(17)  # type: ignore[arg-type]
    text: str = orders.next()  # type: ignore[assignment]
    filled: int = orders.fill(bytearray(8))  # type: ignore[assignment, func-returns-value]
    orders.fill([0])  # type: ignore[arg-type]
    number: int = orders.anext()  # type: ignore[assignment]
    wrong_kind: PageId = typed.next()  # type: ignore[assignment]
    draw(typed)  # type: ignore[arg-type]
    orders.nextSync()  # type: ignore[attr-defined]
    print(text, filled, number, wrong_kind)
