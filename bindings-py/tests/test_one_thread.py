"""A process has one thread and one connection per store, however many tags there are."""

import gc
import os
import threading
import time
from pathlib import Path

import pytest

import leafid
from support.child import in_child
from support.waiting import PATIENCE, failing, run_all, until

TASKS = Path("/proc/self/task")
pytestmark = pytest.mark.skipif(not TASKS.exists(), reason="threads are counted by Linux' /proc")


def threads() -> set[str]:
    """The threads of stores; those left by other tests may end at any time."""

    def is_one(task: Path) -> bool:
        try:
            return (task / "comm").read_text().strip() == "leafid store"
        except OSError:
            return False  # It has ended meanwhile.

    return {task.name for task in TASKS.iterdir() if is_one(task)}


@pytest.fixture(autouse=True)
def no_thread_of_another_test_begins_or_ends() -> None:
    """Waits for the end of earlier tests' threads, since the counts below are exact."""
    gc.collect()
    until(lambda: not threads(), seconds=5)


def sockets() -> set[str]:
    def place(descriptor: str) -> str:
        try:
            return os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            return ""

    return {at for at in map(place, os.listdir("/proc/self/fd")) if at.startswith("socket:")}


@pytest.mark.parametrize("named", [True, False], ids=["url", "object"])
def test_two_hundred_tags(server, named) -> None:
    begun, before = threads(), sockets()
    store = server.url if named else leafid.HttpStore(server.url)
    all_ids = []
    for number in range(200):
        server.create_tag(f"tag{number}", step=10, max_step=10)
        all_ids.append(leafid.Segment(f"tag{number}", store, timeout=PATIENCE))
    for _ in range(3):
        for ids in all_ids:
            ids.take(10)
    assert [ids.next() for ids in all_ids] == [31] * 200
    assert len(threads() - begun) == 1
    assert len(sockets() - before) == 1
    for ids in all_ids:
        ids.close()
    assert until(lambda: not threads() - begun), "it ends with the last generator"
    assert until(lambda: not sockets() - before)
    again = leafid.Segment("tag0", store)
    assert again.next() > 31 and len(threads() - begun) == 1, "and begins with the next one"
    again.close()


class Own:
    """A store that counts simultaneous calls, which a database connection would not survive."""

    def __init__(self) -> None:
        self.inner = leafid.MemoryStore()
        self.inside = self.most = self.asks = 0
        self.threads: set[int] = set()

    def lease_segment(self, ask):
        self.inside += 1
        self.most, self.asks = max(self.most, self.inside), self.asks + 1
        self.threads.add(threading.get_ident())
        time.sleep(0.001)
        self.inside -= 1
        return self.inner.lease_segment(ask)


def test_a_store_of_ones_own_is_called_by_one_thread() -> None:
    store = Own()
    all_ids = [leafid.Segment(f"tag{number}", store, step=3, max_step=3) for number in range(8)]
    drawn: dict[int, list[int]] = {}

    def draw(number: int) -> None:
        drawn[number] = [all_ids[number].next() for _ in range(60)]

    run_all(threading.Thread(target=draw, args=(number,)) for number in range(8))
    assert all(numbers == list(range(1, 61)) for numbers in drawn.values())
    assert store.asks >= 8 * 20 and store.most == 1 and len(store.threads) == 1


def test_who_waits_for_a_store_that_hangs_learns_it_together(memory) -> None:
    """Otherwise, with one thread, fifty tags would wait fifty times as long for the same failure."""
    hangs = threading.Event()

    class Slow:
        asked = 0

        def lease_segment(self, ask):
            Slow.asked += 1
            if not hangs.is_set():
                time.sleep(0.7)
                raise TimeoutError("no answer")
            return memory.lease_segment(ask)

    store = Slow()
    all_ids = [leafid.Segment(f"tag{number}", store) for number in range(50)]
    for ids in all_ids:
        with pytest.raises(leafid.TimedOutError):
            ids.next(timeout=0)
    assert until(lambda: all(ids.stats().failures for ids in all_ids))
    asked, told = store.asked, []

    def draw(ids: leafid.Segment) -> None:
        told.append(str(failing(ids).__cause__))

    run_all(threading.Thread(target=draw, args=(ids,)) for ids in all_ids)
    print(f"{len(told)} of 50 were told why, after {asked} asks")
    assert len(told) == 50 and all("TimeoutError: no answer" in why for why in told)
    assert asked < 30, "each of them would have had to ask for itself"
    hangs.set()
    assert [ids.next(timeout=PATIENCE) for ids in all_ids] == [1] * 50


def test_a_forked_child_has_a_thread_of_its_own(server) -> None:
    server.create_tag("orders", step=10)
    begun = threads()
    ids, others = leafid.Segment("orders", server.url), leafid.Segment("orders", server.url)
    ids.next(), others.next()
    assert in_child(lambda: len({ids.next(), others.next()}) + len(threads())) == "3", "one thread"
    assert len(threads() - begun) == 1
    ids.close(), others.close()


def test_a_store_is_named_by_its_url_alone(server, memory) -> None:
    """A store object made explicitly is another store, with its own thread."""
    server.create_tag("orders")
    begun = threads()
    stores = [server.url, server.url, leafid.HttpStore(server.url), leafid.HttpStore(server.url), memory]
    all_ids = [leafid.Segment("orders", store) for store in stores]
    assert len({ids.next() for ids in all_ids[:4]}) == 4 and all_ids[4].next() == 1
    assert len(threads() - begun) == 4
    for ids in all_ids:
        ids.close()
