"""pytest: fixtures for IDs without a store, the same in every run. pytest finds this plugin once leafid
is installed; a suite that uses none of its fixtures is not affected.

    def test_orders(leafid_store):
        assert shop.orders.next() == 1             # whatever store `shop` names
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .testing import Clock

# The first time of a frozen clock: 2026-01-01 00:00 UTC.
_BEGINS_MS = 1_767_225_600_000


@pytest.fixture
def leafid_store(request: pytest.FixtureRequest) -> Iterator[str]:
    """The test's own store in memory, from which all generators draw while the test runs, those of modules that were
    imported before it too: numbers begin at 1 in each test. Tags and namespaces are created on first use.
    `LEAFID_STORE` is its URL, so that a process which the test starts asks no real store either."""
    from .testing import isolated

    # The variable is restored first: a generator that looks for its store after the test must not find this one.
    with isolated(request.node.nodeid) as store, pytest.MonkeyPatch.context() as environment:
        environment.setenv("LEAFID_STORE", store)
        yield store


@pytest.fixture
def leafid_clock() -> Iterator[Clock]:
    """A clock that stands still at 2026-01-01 00:00 UTC until it is moved: pass it as `clock=` to a
    `MemoryStore` and to a `Snowflake` with `spread=1` to get the same IDs in every run."""
    from .testing import Clock

    clock = Clock()
    clock.freeze()
    clock.step_wall(_BEGINS_MS - clock.wall_ms)
    yield clock
    clock.thaw()
