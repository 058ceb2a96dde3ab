"""A component as the generators' store, which uses the registry of another component."""

from __future__ import annotations

from typing import Any

import pytest

from support.hosts import Host, draw, duplicates

KINDS: list[tuple[str, dict[str, Any]]] = [("segment", {"step": 100}), ("snowflake", {})]


def holders(one_store: bool) -> list[Host]:
    """Two instances, each with its own randomness."""
    first = Host(seed=1)
    second = Host(seed=2, store=first.store if one_store else None)
    # A shared store has one clock, that of the host that made it.
    if one_store:
        second.passes = first.passes  # type: ignore[method-assign]
        second.clock = first.clock
    return [first, second]


@pytest.mark.parametrize(("kind", "config"), KINDS)
def test_two_holders_of_one_store_have_no_id_twice(kind: str, config: dict[str, Any]) -> None:
    hosts = holders(one_store=True)
    generators = [getattr(host, kind)(**config) for host in hosts]
    ids: list[int] = []
    for _ in range(20):
        for host, generator in zip(hosts, generators):
            ids += draw(host, generator, 300, at_once=1)
            ids += draw(host, generator, 300, at_once=60)
            host.passes(500)
    grants = [generator.stats()["grants"] for generator in generators]
    found = duplicates(ids)
    print(f"\n{kind}: {len(ids)} IDs, {grants} grants, duplicates: {found}")
    assert len(ids) >= 24_000 and min(grants) > 2 and found == 0


def test_control_two_stores_behind_one_name_have_ids_twice() -> None:
    hosts = holders(one_store=False)
    ids = [number for host in hosts for number in draw(host, host.segment(), 300)]
    assert duplicates(ids) == 300
