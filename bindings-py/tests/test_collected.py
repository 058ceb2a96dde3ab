"""A store object may hold its generators: the collector of cycles sees them, and what they hold is given back."""

import gc
import weakref

import pytest

import leafid
from leafid.testing import isolated
from support.waiting import failing, until


class Own:
    """A store that holds generators of its own."""

    def __init__(self, granted: leafid.MemoryStore, kinds: tuple[type, ...] = ()) -> None:
        self.granted, self.asked, self.given_back = granted, 0, []
        names = {leafid.Segment: "orders", leafid.Snowflake: "default"}
        self.ids = [kind(names[kind], store=self) for kind in kinds]

    def lease_segment(self, ask):
        self.asked += 1
        return self.granted.lease_segment(ask)

    def acquire(self, ask):
        return self.granted.acquire(ask)

    def renew(self, ask):
        return self.granted.renew(ask)

    def release(self, ask):
        self.given_back.append(ask["worker"])
        return self.granted.release(ask)


def alive() -> int:
    """How many stores are left. The collector clears weak references before the generators end, so they do not say."""
    gc.collect()
    return sum(isinstance(each, Own) for each in gc.get_objects())


@pytest.fixture(autouse=True)
def none_is_left_of_another_test() -> None:
    assert until(lambda: not alive())


@pytest.mark.parametrize("kind", [leafid.Segment, leafid.Snowflake])
def test_unused_stores_and_their_generators_are_collected(memory, kind) -> None:
    made = [Own(memory, (kind, kind)) for _ in range(1_000)]
    assert alive() == 1_000
    del made
    assert alive() == 0


def test_used_ones_end_their_thread_and_give_their_windows_back(memory) -> None:
    memory.create_namespace("default")
    lists = []
    for _ in range(50):
        own = Own(memory, (leafid.Segment, leafid.Snowflake))
        assert all(ids.take(3) for ids in own.ids)
        lists.append(own.given_back)
    del own
    assert until(lambda: not alive()), f"{alive()} of 50 are left"
    assert [len(given_back) for given_back in lists] == [1] * 50


def test_a_dropped_generator_alone_gives_its_window_back(memory) -> None:
    own = Own(memory)
    ids, given_back = leafid.Snowflake(store=own), own.given_back
    worker = leafid.decode(ids.next()).worker
    del own
    assert alive() == 1, "the generator holds its store"
    del ids
    assert until(lambda: not alive()) and given_back == [worker]


class Away(Own):
    """A store that cannot be reached."""

    def lease_segment(self, ask):
        raise leafid.StoreUnavailableError("away")


def test_a_stores_last_failure_does_not_keep_it_after_a_test(memory) -> None:
    own = Away(memory)
    ids = leafid.Segment("orders", own)
    failing(ids)
    with isolated():
        assert ids.next() == 1
    ids.close()
    del own, ids
    assert until(lambda: not alive())


def test_the_collector_counts_each_generator_of_a_store(memory) -> None:
    """If it took several for references to one object that has fewer, it would take a store apart that is in use."""
    own = Own(memory)
    all_ids = [leafid.Segment(f"tag{number}", own) for number in range(5)]
    kept = [all_ids.pop()]
    own.ids, store = all_ids, weakref.ref(own)
    kept[0].next()
    del own, all_ids
    for _ in range(3):
        gc.collect()
        assert kept[0].take(5_000)
    assert store().asked > 1 and [ids.next() for ids in store().ids] == [1] * 4
    kept.clear()
    assert until(lambda: not alive())


def test_a_store_at_the_address_of_an_earlier_one_is_another(memory) -> None:
    addresses = set()
    for _ in range(200):
        own = Own(memory, (leafid.Segment,))
        addresses.add(id(own))
        own.ids[0].next()
        assert own.asked == 1
        own.ids[0].close()
        del own
        gc.collect()
    assert len(addresses) < 200, "none was used again"
