"""The store that `LEAFID_STORE` names, which is looked for with the first ID."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import leafid
import pytest
from leafid import Segment, Snowflake, SqliteStore


@pytest.fixture
def unset(monkeypatch):
    monkeypatch.delenv("LEAFID_STORE", raising=False)
    return monkeypatch


@pytest.mark.parametrize("make", [lambda: Segment("orders"), Snowflake])
def test_a_module_imports_without_it(make, unset) -> None:
    ids = make()
    for call in (ids.check, ids.next):
        with pytest.raises(leafid.RequestInvalidError, match="no store was given"):
            call()
    unset.setenv("LEAFID_STORE", "ids.db")
    for call in (ids.check, ids.next):
        with pytest.raises(leafid.RequestInvalidError, match="the URL of no store"):
            call()
    unset.setenv("LEAFID_STORE", "memory:environment")
    ids.check()
    first = ids.next()
    unset.setenv("LEAFID_STORE", "memory:another")
    assert ids.next() == first + 1, "the store stays once it was found"


def test_awaited(unset) -> None:
    async def draw() -> int:
        return await Segment("orders").anext()

    with pytest.raises(leafid.RequestInvalidError, match="no store was given"):
        asyncio.run(draw())


def test_what_is_given_is_checked_at_once(unset) -> None:
    with pytest.raises(leafid.RequestInvalidError, match="the URL of no store"):
        Segment("orders", "ids.db")
    with pytest.raises(TypeError, match="has no `lease_segment`"):
        Segment("orders", object())


def test_a_relative_path_is_of_the_folder_of_the_import(tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    store = SqliteStore(tmp_path / "ids.db", create=True)
    store.create_tag("orders", start=7)
    program = """
import os
from leafid import Segment
orders = Segment("orders")
os.chdir("elsewhere")
print(orders.next())
"""
    assert run(program, tmp_path, "sqlite:ids.db") == "7\n"
    made = run(program.replace('"orders")', '"orders", create=True)'), tmp_path, "sqlite:new.db")
    assert made == "1\n" and (tmp_path / "new.db").exists()


def run(program: str, folder: Path, store: str) -> str:
    variables = {**os.environ, "LEAFID_STORE": store}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_text_that_is_not_utf8_is_refused(unset) -> None:
    unset.setenv("LEAFID_STORE", os.fsdecode(b"http://\xff"))
    with pytest.raises(leafid.RequestInvalidError, match="is not a URL|is the URL of no store"):
        Segment("orders").check()
