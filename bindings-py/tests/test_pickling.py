"""A generator that has given no ID yet can be passed on: the other process makes one like it."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

import leafid
from leafid import Snowflake, Segment
from leafid.testing import Clock
from support.run import code

# Nobody listens there, on whichever machine.
URL = "http://127.0.0.1:1"


class Asked:
    """A memory store that notes the steps it was asked for."""

    def __init__(self, store: leafid.MemoryStore) -> None:
        self.store = store
        self.steps: list[int | None] = []

    def lease_segment(self, ask):
        self.steps.append(ask["step"])
        return self.store.lease_segment(ask)


def test_a_segment_keeps_its_arguments(memory) -> None:
    memory.create_tag("orders", step=7)
    ids = pickle.loads(pickle.dumps(Segment("orders", URL, step=5, max_step=9, timeout=0.5)))
    assert ids.tag == "orders" and ids.stats().ids == 0
    with pytest.raises(leafid.TimedOutError, match="within 0.5 s"):
        ids.next()
    store = Asked(memory)
    ids = copy.copy(Segment("orders", store, step=5))
    # Not `stats().step`: the second lease may be there by now, and is larger.
    assert ids.next() == 1 and store.steps[0] == 5


def test_a_snowflake_keeps_its_arguments(memory) -> None:
    clock = Clock()
    given = Snowflake(
        "edge", memory, owner="me", sticky=True, layout="edge", length=3.0, max_ahead=0.25, clock=clock
    )
    memory.create_namespace("edge", layout="edge")
    ids = copy.copy(given)
    assert ids.namespace == "edge"
    with pytest.raises(leafid.CountInvalidError):
        ids.take(1_000_000)  # more than fit into `max_ahead`
    ids.next()
    assert ids.stats().step <= 3_000, "the window's length, in ms"
    assert given.next() != ids.next()


def test_a_store_keeps_its_token() -> None:
    store = pickle.loads(pickle.dumps(leafid.HttpStore(URL, token="secret")))
    assert store.url == URL
    ids = pickle.loads(pickle.dumps(Segment("orders", store)))
    assert repr(ids) == 'Segment("orders")'


def test_what_is_in_memory_stays_there(memory) -> None:
    with pytest.raises(TypeError, match="MemoryStore"):
        pickle.dumps(Segment("orders", memory))


POOLED = """
import json, multiprocessing, operator, sys
import leafid
ids = leafid.Segment("orders", sys.argv[2])
with multiprocessing.get_context(sys.argv[1]).Pool(3) as pool:
    parts = pool.map(operator.methodcaller("take", 200), [ids] * 6)
print(json.dumps(sum(parts, [])))
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_pool_is_given_one(server, method) -> None:
    server.create_tag("orders", step=10)
    drawn = json.loads(code(POOLED, method, server.url))
    assert len(drawn) == 1_200 == len(set(drawn))
