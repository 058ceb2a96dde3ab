"""`next()` and `for` have a quick way of their own; what they leave to the other one is as everywhere."""

from __future__ import annotations

import gc
import inspect
import os
import weakref

import pytest

import leafid
from leafid import Segment, Snowflake
from support.child import in_child



def test_every_way_to_one_id_is_of_one_line(memory, make) -> None:
    ids = make(memory)
    over = iter(ids)
    drawn = [ids.next(), ids.next(5), next(over), ids.next(timeout=5), next(ids), ids.next(None)]
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


def test_going_over_one_that_is_closed_raises(memory, make) -> None:
    ids = make(memory)
    over = iter(ids)
    assert next(over) > 0 and iter(over) is over
    ids.close()
    with pytest.raises(leafid.ClosedError):
        next(over)
    with pytest.raises(TypeError):
        type(over)()


def test_what_is_gone_over_lives_as_long(memory, make) -> None:
    ids = make(memory)
    seen, over = weakref.ref(ids), iter(ids)
    del ids
    gc.collect()
    assert next(over) > 0 and seen() is not None
    del over
    gc.collect()
    assert seen() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_goes_over_ids_of_its_own(tmp_path) -> None:
    """The iterator that it inherits draws nothing in its parent's name."""
    with Segment("orders", f"sqlite:{tmp_path}/ids.db", create=True) as ids:
        over = iter(ids)
        before = [next(over), ids.next()]
        theirs = in_child(lambda: f"{next(over)} {ids.next()}")
        drawn = [*before, next(over), ids.next(), *map(int, theirs.split())]
    assert len(drawn) == 6 == len(set(drawn))
