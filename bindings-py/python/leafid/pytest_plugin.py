"""pytest: fixtures for IDs without a store, the same in every run. pytest finds this plugin once leafid
is installed; a suite that uses none of its fixtures is not affected.

    def test_orders(leafid_store):
        orders = leafid.Segment("orders")          # LEAFID_STORE is `memory:…` here
        assert orders.next() == 1
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .testing import Clock

# The first time of a frozen clock: 2026-01-01 00:00 UTC.
_BEGINS_MS = 1_767_225_600_000


@pytest.fixture
def leafid_store(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The test's own `memory:` store, which `LEAFID_STORE` names while the test runs: numbers begin at 1
    in each test. Tags and namespaces are created on first use. A generator that is made during a
    module's import has its store already: make it in a fixture, or pass it `store=leafid_store`.
    Django's fields draw from this store too, whatever the setting `LEAFID_STORE` is."""
    from ._native import drop_memory

    name = request.node.nodeid
    store = f"memory:{name}"
    monkeypatch.setenv("LEAFID_STORE", store)
    django = sys.modules.get("leafid.django")
    with nullcontext() if django is None else django.tested(store):
        yield store
    drop_memory(name)


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
