"""`memory:` as a store: one per process, for a team's own tests."""

import pytest

from leafid import ClosedError, MemoryStore, Segment, Snowflake, decode
from support.child import in_child
from support.run import code


def test_one_name_is_one_store() -> None:
    one, other = Segment("orders", "memory:shared"), Segment("orders", "memory:shared")
    drawn = [generator.next() for _ in range(3_000) for generator in (one, other)]
    assert len(set(drawn)) == 6_000
    assert Segment("orders", "memory:another").next() == 1


def test_snowflakes() -> None:
    ids = [Snowflake(store="memory:flakes").next() for _ in range(3)]
    assert len({decode(drawn).worker for drawn in ids}) == 3


def test_it_may_stand_in_the_environment() -> None:
    program = "from leafid import Segment; s = Segment('orders'); print(s.next(), s.next())"
    assert code(program, more={"LEAFID_STORE": "memory:"}) == "1 2\n"


def test_a_forked_child_is_told_what_it_can_do(memory) -> None:
    drawn = [Segment("orders", "memory:forked"), Segment("orders", memory)]
    for orders in drawn:
        orders.next()

    def child() -> str:
        said = []
        for generator in (*drawn, Segment("orders", "memory:forked")):
            with pytest.raises(ClosedError, match="forked child") as error:
                generator.next()
            said.append(str(error.value))
        return f"{said[-1]}: {Segment('orders', store=MemoryStore()).next()}"

    said = in_child(child)
    assert "`memory:` still names the parent's: pass `store=MemoryStore()`, made here" in said
    assert said.endswith(": 1")
    assert [orders.next() for orders in drawn] == [2, 2]
