"""The verbs of both generators, on a memory store, the quick path of `next()` and `for` included; and
`memory:`, one such store per process and name, for users' tests."""

import gc
import inspect
import threading
import weakref

import pytest

import leafid
from leafid import ClosedError, MemoryStore, Segment, Snowflake
from support.child import in_child
from support.waiting import PATIENCE


def test_every_way_to_one_id_is_of_one_line(memory, make) -> None:
    ids = make(memory)
    assert ids.stats() == leafid.Stats(*[0] * 10), "nothing is leased before the first ID"
    over = iter(ids)
    drawn = [ids.next(), ids.next(5), next(over), ids.next(timeout=5), next(ids), ids.next(None), *ids.take(1)]
    drawn += [id for id, _ in zip(ids, range(3))] + [type(ids).next(ids), next(over)]
    assert drawn == sorted(set(drawn)) and ids.stats().ids == len(drawn) + 1, "`zip` takes one more"


def test_wrong_arguments_are_told_as_those_of_any_method(memory, make) -> None:
    ids = make(memory)
    ids.next()
    before = ids.stats().ids
    for act, wanted in [
        (lambda: ids.next(1, 2), "takes from 0 to 1 positional arguments but 2 were given"),
        (lambda: ids.next(late=1), "unexpected keyword argument 'late'"),
        (lambda: ids.next(1, timeout=1), "multiple values for argument 'timeout'"),
        (lambda: ids.next(timeout="1"), "`timeout` must be a number of seconds, got a `str`"),
        (lambda: type(ids).next(memory), "doesn't apply to"),
    ]:
        with pytest.raises(TypeError, match=wanted):
            act()
    assert ids.stats().ids == before, "nothing was drawn"


@pytest.mark.parametrize("kind", [Segment, Snowflake])
def test_it_says_what_it_takes_and_does(kind) -> None:
    assert str(inspect.signature(kind.next)) == "(self, /, timeout=None)"
    assert kind.next.__doc__.startswith("One ID. While none is at hand, waits up to `timeout` seconds")
    assert kind.next.__qualname__ == f"{kind.__name__}.next"
    assert "take(0)" in kind.take.__doc__ and "ready(0)" in kind.ready.__doc__


def test_closing(memory, make) -> None:
    with make(memory) as ids:
        over = iter(ids)
        assert next(over) > 0 and iter(over) is over and not ids.closed
    assert ids.closed
    for verb in (ids.next, lambda: ids.take(2), lambda: next(ids), lambda: next(over)):
        with pytest.raises(leafid.ClosedError) as refused:
            verb()
        assert refused.value.code == "CLOSED"
    ids.close()
    make(memory).close()


def test_what_is_gone_over_lives_as_long(memory, make) -> None:
    ids = make(memory)
    seen, over = weakref.ref(ids), iter(ids)
    del ids
    gc.collect()
    assert next(over) > 0 and seen() is not None
    del over
    gc.collect()
    assert seen() is None


def test_a_generator_that_is_dropped_gives_its_window_back(memory) -> None:
    released = threading.Event()

    class Watched:
        acquire, renew = memory.acquire, memory.renew

        def release(self, ask):
            released.set()
            return memory.release(ask)

    ids = Snowflake(store=Watched())
    ids.next()
    gone = weakref.ref(ids)
    del ids
    assert gone() is None
    assert released.wait(PATIENCE)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_goes_over_ids_of_its_own(tmp_path) -> None:
    """An inherited iterator draws none of its parent's IDs."""
    with Segment("orders", f"sqlite:{tmp_path}/ids.db", create=True) as ids:
        over = iter(ids)
        before = [next(over), ids.next()]
        theirs = in_child(lambda: f"{next(over)} {ids.next()}")
        drawn = [*before, next(over), ids.next(), *map(int, theirs.split())]
    assert len(drawn) == 6 == len(set(drawn))


def test_one_name_is_one_store() -> None:
    one, other = Segment("orders", "memory:shared"), Segment("orders", "memory:shared")
    drawn = [generator.next() for _ in range(3_000) for generator in (one, other)]
    assert len(set(drawn)) == 6_000
    assert Segment("orders", "memory:another").next() == 1
    ids = [Snowflake(store="memory:shared").next() for _ in range(3)]
    assert len({leafid.decode(drawn).worker for drawn in ids}) == 3


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
    assert "`memory:` still names the parent's: pass a memory store that was made here" in said
    assert said.endswith(": 1")
    assert [orders.next() for orders in drawn] == [2, 2]
