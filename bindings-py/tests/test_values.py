"""Layouts, parts and text forms as Python values; and pickling of unused generators, which another process
builds again."""

import copy
import json
import pickle
from datetime import datetime, timedelta, timezone

import pytest

import leafid
from leafid import Layout, Segment, Snowflake
from leafid.testing import Clock
from support.run import code

# Port 1 refuses connections: no store is needed here.
URL = "http://127.0.0.1:1"
AT = datetime(2026, 5, 17, 12, 30, 15, 123_000, timezone.utc)


def test_layouts_are_values() -> None:
    again = Layout(epoch_ms=1288834974657, tick_ms=1, time_bits=41, worker_bits=10, sequence_bits=12)
    assert again == Layout.leaf and hash(again) == hash(Layout.leaf) != hash(Layout.edge)
    assert pickle.loads(pickle.dumps(Layout.edge)) == copy.deepcopy(Layout.edge) == Layout.edge
    assert "worker_bits=16" in repr(Layout.long)
    assert Layout.js53.last_id(Layout.js53.last_ms) < 2**53


@pytest.mark.parametrize("ms", [0, 1, 7, 123, 501, 999])
def test_datetimes_are_moments(ms) -> None:
    at = AT.replace(microsecond=ms * 1_000 + 999)
    id = Layout.leaf.compose(at, 7, 9)
    parts = leafid.decode(id)
    assert parts.time == AT.replace(microsecond=ms * 1_000)
    assert (parts.worker, parts.sequence) == (7, 9)
    elsewhere = at.astimezone(timezone(timedelta(hours=-9)))
    assert Layout.leaf.first_id(elsewhere) < id < Layout.leaf.last_id(at)


class Asked:
    """A memory store that records the steps of asks."""

    def __init__(self, store: leafid.MemoryStore) -> None:
        self.store = store
        self.steps: list[int | None] = []

    def lease_segment(self, ask):
        self.steps.append(ask["step"])
        return self.store.lease_segment(ask)


def test_a_segment_keeps_its_arguments(memory) -> None:
    memory.create_tag("orders", step=7)
    at = pickle.loads(pickle.dumps(leafid.HttpStore(URL, token="secret")))
    ids = pickle.loads(pickle.dumps(Segment("orders", at, step=5, max_step=9, timeout=0.5)))
    assert (at.url, ids.tag, repr(ids), ids.stats().ids) == (URL, "orders", 'Segment("orders")', 0)
    with pytest.raises(leafid.TimedOutError, match="within 0.5 s"):
        ids.next()
    store = Asked(memory)
    ids = copy.copy(Segment("orders", store, step=5))
    # Not `stats().step`: the second lease, which is larger, may have come already.
    assert ids.next() == 1 and store.steps[0] == 5


def test_a_snowflake_keeps_its_arguments(memory) -> None:
    clock = Clock()
    given = Snowflake("edge", memory, owner="me", sticky=True, layout="edge", length=3.0, max_ahead=0.25, clock=clock)
    memory.create_namespace("edge", layout="edge")
    ids = copy.copy(given)
    assert ids.namespace == "edge"
    with pytest.raises(leafid.CountInvalidError):
        ids.take(1_000_000)  # more than fit into `max_ahead`
    ids.next()
    assert ids.stats().step <= 3_000, "the window's length, in ms"
    assert given.next() != ids.next()


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
