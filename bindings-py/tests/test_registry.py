"""`leafid.registry`, as a store written in Python calls it; the vectors drive the rest."""

from __future__ import annotations

import pytest

import leafid
from leafid import _native, registry

STORE, NOW = "5a" * 16, 1_800_000_000_000
NAMESPACE = registry.namespace_row({"namespace": "n", "layout": "leaf"})


def ask(**how: object) -> dict[str, object]:
    return {"namespace": "n", "request": "01" * 16, "owner": "host-1", **how}


def kept(worker: int, granted_ms: int) -> dict[str, object]:
    row = {"owner": "host-1", "sticky": True, "held_from": 0, "reserved_until": 0}
    return {**row, "worker": worker, "granted_ms": granted_ms}


def test_of_two_rows_that_an_owner_keeps_the_older_is_freed() -> None:
    """Two servers that decided at once may have given one owner two numbers."""
    older, newer = kept(3, NOW - 60_000), kept(7, NOW - 30_000)
    for own, spare in ((older, newer), (newer, older)):
        candidates = {"own": own, "spare": spare, "rested": None, "mine": None}
        row, freed, grant = registry.acquire(STORE, NAMESPACE, candidates, ask(sticky=True), NOW)
        assert (row["worker"], row["sticky"], grant["worker"]) == (7, True, 7)
        assert freed == {**older, "sticky": False}
    row, freed, _ = registry.acquire(STORE, NAMESPACE, {"own": newer}, ask(sticky=True), NOW)
    assert (row["worker"], freed) == (7, None)


def test_without_a_number_there_is_none_to_give() -> None:
    with pytest.raises(leafid.WorkersExhaustedError) as refused:
        registry.acquire(STORE, NAMESPACE, {}, ask(), NOW)
    assert refused.value.until_ms is None
    tick = NOW - leafid.Layout.leaf.epoch_ms
    held = {**kept(0, NOW), "sticky": False, "reserved_until": tick + 50_000}
    with pytest.raises(leafid.WorkersExhaustedError) as refused:
        registry.acquire(STORE, NAMESPACE, {"rested": held}, ask(), NOW)
    assert (refused.value.until_ms, refused.value.retry_after) == (NOW + 50_000, 50.0)


@pytest.mark.parametrize("candidates", [
    None, [], {"own": 5}, {"rested": {"owner": "host-1"}}, {"mine": {**kept(0, 0), "worker": -1}},
], ids=str)  # fmt: skip
def test_candidates_that_cannot_be_read_are_told(candidates) -> None:
    with pytest.raises(leafid.RequestInvalidError, match="the candidates"):
        registry.acquire(STORE, NAMESPACE, candidates, ask(), NOW)


def test_a_store_chooses_nothing_of_what_it_found() -> None:
    """Which number is new, and which of those that rest is given, stands in the core."""
    space = registry.namespace_row({
        "namespace": "n", "layout": "leaf", "workers": {"start": 2, "end": 6}
    })  # fmt: skip
    found: dict[str, object] = {"used_until": 0}

    def decided(**more: object) -> dict[str, object]:
        return _native.acquire_found(STORE, space, {**found, **more}, ask(), NOW)

    assert decided() == {"unused_from": 2}
    fresh = decided(unused=4)
    assert (fresh["row"]["worker"], fresh["used_until"]) == (4, 5)
    other = {"worker": 3, "owner": "host-2", "sticky": True, "granted_ms": NOW - 1}
    free = {"worker": 5, "reserved_until": 70}
    full = decided(unused=6, rested=free, kept=other)
    assert (full["row"]["worker"], full["used_until"]) == (5, 6)
    late = decided(unused=6, rested=free, kept={**other, "granted_ms": NOW - 30 * 86_400_000})
    assert late["row"]["worker"] == 3, "its owner was not seen for a month"
    with pytest.raises(leafid.RequestInvalidError, match="`used_until` of the candidates"):
        _native.acquire_found(STORE, space, {}, ask(), NOW)
