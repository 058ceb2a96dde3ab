"""pytest: IDs without a store, the same in every run. pytest finds it by itself once leafid is
installed; a suite that names none of its fixtures is left as it is.

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

# What a frozen clock shows first: 2026-01-01 00:00 UTC.
_BEGINS_MS = 1_767_225_600_000


@pytest.fixture
def leafid_store(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """A `memory:` store of the test's own, which `LEAFID_STORE` names while the test runs: numbers begin
    at 1 in each. Tags and namespaces are made by their first use. A generator that is made while a
    module is imported has its store already: make it in a fixture, or pass it `store=leafid_store`.
    Django's fields draw from it, too, whatever the setting `LEAFID_STORE` says."""
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
    `MemoryStore` and to a `Snowflake` with `spread=1`, and the same IDs come in every run."""
    from .testing import Clock

    clock = Clock()
    clock.freeze()
    clock.step_wall(_BEGINS_MS - clock.wall_ms)
    yield clock
    clock.thaw()
