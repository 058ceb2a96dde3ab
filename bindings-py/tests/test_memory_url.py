"""`memory:` as a store: one per process, for a team's own tests."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from leafid import ClosedError, MemoryStore, Segment, Snowflake, decode
from support.forked import wait


def in_child(act: Callable[[], str]) -> str:
    """What it says in a forked child."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writes, act().encode())
        finally:
            os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        said = pipe.read()
    assert not wait(child)
    return said


def test_one_name_is_one_store() -> None:
    one, other = Segment("orders", "memory:shared"), Segment("orders", "memory:shared")
    drawn = [generator.next() for _ in range(3_000) for generator in (one, other)]
    assert len(set(drawn)) == 6_000


def test_another_name_is_another_store() -> None:
    assert Segment("orders", "memory:a").next() == Segment("orders", "memory:b").next() == 1


def test_snowflakes() -> None:
    ids = [Snowflake(store="memory:flakes").next() for _ in range(3)]
    assert len({decode(drawn).worker for drawn in ids}) == 3


def test_it_may_stand_in_the_environment() -> None:
    program = "from leafid import Segment; s = Segment('orders'); print(s.next(), s.next())"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={"LEAFID_STORE": "memory:"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert run.stdout == "1 2\n"


def test_a_forked_child_is_told_that_it_has_none() -> None:
    orders = Segment("orders", "memory:forked")
    orders.next()

    def child() -> str:
        said = []
        for generator in (orders, Segment("orders", "memory:forked")):
            with pytest.raises(ClosedError) as error:
                generator.next()
            said.append(str(error.value))
        return "\n".join(said)

    assert in_child(child).count("forked child") == 2


def test_a_forked_child_can_do_what_it_is_told() -> None:
    orders = Segment("orders", "memory:told")
    orders.next()

    def child() -> str:
        with pytest.raises(ClosedError) as error:
            Segment("orders", "memory:told").next()
        return f"{error.value}: {Segment('orders', store=MemoryStore()).next()}"

    said = in_child(child)
    assert "`memory:` still names the parent's: pass `store=MemoryStore()`, made here" in said
    assert said.endswith(": 1")
