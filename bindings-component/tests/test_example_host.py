"""The example host, with a store that fails now and then."""

from __future__ import annotations

import time
from typing import Any

import pytest
from leafid_component import Leafid, Refused

from support.places import DIST

STORE = (7, 9)


class Numbers:
    """A line of numbers of which every third ask fails: by a refusal, or by an exception of the store."""

    def __init__(self) -> None:
        registry, self.asks = Leafid(DIST / "leafid-pure.wasm"), 0
        wanted = {**dict.fromkeys(["first", "max_step", "until"]), "step": 50, "tag": "orders"}
        self.registry, self.row = registry, registry.call("registry", "create-tag", wanted, None)

    def lease_segment(self, ask: Any) -> Any:
        self.asks += 1
        if self.asks % 6 == 3:
            raise Refused({"code": "store-unavailable", "retry_after_ms": 1})
        if self.asks % 6 == 0:
            raise OSError("the disk is full")
        now = time.time_ns() // 1_000_000
        given = self.registry.call("registry", "lease-segment", STORE, self.row, ask, now)
        self.row, grant = given
        return grant


def test_a_store_that_fails_costs_an_ask_and_not_the_instance(capfd: pytest.CaptureFixture) -> None:
    numbers = Numbers()
    leafid = Leafid(DIST / "leafid.wasm", {"lease-segment": numbers.lease_segment})
    orders, ids, refused = leafid.generator("segment", tag="orders"), [], 0
    deadline = time.monotonic() + 240
    while numbers.asks < 8:
        assert time.monotonic() < deadline, numbers.asks
        try:
            orders.refill()
        except Refused:
            refused += 1
        try:
            ids += orders.fill_available(1_000)
        except Refused:
            pass
    print(f"{numbers.asks} asks, {refused} refused, {len(ids)} IDs")
    assert refused >= 2 and len(ids) >= 250 and len(set(ids)) == len(ids)
    assert "the disk is full" in capfd.readouterr().err
