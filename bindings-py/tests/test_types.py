"""The types that are published: the stubs are what the engine is, and a strict user compiles."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

if not os.environ.get("CI"):
    for needed in ("mypy", "numpy"):
        why = f"{needed} is not installed: the published types are NOT checked"
        pytest.importorskip(needed, reason=why)

USER = '''
import asyncio
from array import array

import leafid
import numpy
from leafid import HttpStore, Layout, MemoryStore, Segment, Snowflake, SqlStore
from leafid.testing import Clock, conform


class Own:
    def lease_segment(self, ask: dict[str, object]) -> dict[str, object]:
        return {}


orders: Segment = Segment("orders", "http://127.0.0.1:8750", step=5, timeout=2.5)
number: int = orders.next(timeout=1)
numbers: list[int] = orders.take(5)
orders.fill(array("Q", [0]))
filled: int = orders.fill_available(array("Q", [0]))
orders.fill(numpy.zeros(10, numpy.int64), timeout=1)
filled = orders.fill_available(numpy.zeros((2, 5), numpy.uint64))
with Snowflake(store=HttpStore("http://127.0.0.1:8750"), layout="edge") as ids:
    parts = leafid.decode(next(ids), Layout.edge)
    when: float = parts.time.timestamp() + parts.worker
Segment("orders", Own())
Segment("orders", MemoryStore(clock=Clock()))
pages: Snowflake = Snowflake("pages", SqlStore("mysql://u:p@h/d"), create=True, workers=(0, 8))
passed: list[str] = conform(Own())


async def main() -> None:
    async with Segment("orders", Own()) as ids:
        number: int = await ids.anext(timeout=1)
        numbers: list[int] = await ids.atake(5)
        await ids.aready(5)
        task: asyncio.Task[int] = asyncio.create_task(ids.anext())
        async for id in ids:
            number = id
    await Snowflake().aclose()


try:
    text: str = leafid.base32(number)
except leafid.IdInvalidError as error:
    code: str = error.code
    wait: float | None = error.retry_after
'''
WRONG = {
    "a store that is none": 'leafid.Segment("orders", 17)',
    "a tag that is none": "leafid.Segment(17)",
    "an ID that is no text": "text: str = leafid.Segment('orders').next()",
    "a fill that counts": "filled: int = leafid.Segment('orders').fill(bytearray(8))",
    "a fill of a list": "leafid.Segment('orders').fill([0])",
    "an await that is missing": "number: int = leafid.Segment('orders').anext()",
    "no such verb": "leafid.Segment('orders').nextSync()",
}


def mypy(*words: str, folder) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_the_stubs_are_what_the_engine_is(tmp_path) -> None:
    done = mypy("mypy.stubtest", "leafid", "--concise", folder=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_strict_user_compiles(tmp_path) -> None:
    (tmp_path / "user.py").write_text(USER)
    done = mypy("mypy", "--strict", "user.py", folder=tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_user_does_not(tmp_path, name) -> None:
    (tmp_path / "user.py").write_text(f"import leafid\n{WRONG[name]}\n")
    assert mypy("mypy", "--strict", "user.py", folder=tmp_path).returncode == 1
