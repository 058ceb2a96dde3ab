"""The example host, with a store that fails now and then, and takes windows back."""

from __future__ import annotations

import sys
import time
from typing import Any

import pytest

from support.places import DIST, ROOT

sys.path.insert(0, str(ROOT / "examples/component-python"))

from leafid_component import Leafid, Refused  # noqa: E402

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


@pytest.mark.parametrize("fails", [False, True])
def test_a_window_is_given_back_or_kept_to_its_end(fails: bool) -> None:
    returned: list[Any] = []
    layout = {"epoch_ms": 0, "tick_ms": 1, "time_bits": 41, "worker_bits": 10, "sequence_bits": 12}

    def acquire(ask: Any) -> Any:
        now = time.time_ns() // 1_000_000
        ticks = {"start": now, "end": now + 600_000}
        facts = {"layout": layout, "now": now, "max_window_ms": 600_000, "worker": 3}
        return {"request": ask["request"], "store": STORE, "ticks": ticks, **facts}

    def give_back(release: Any) -> None:
        returned.append(release)
        if fails:
            raise Refused({"code": "store-unavailable"})

    leafid = Leafid(DIST / "leafid.wasm", {"acquire": acquire, "give-back": give_back})
    events = leafid.generator("snowflake", namespace="default", owner="test", layout=layout)
    other = leafid.generator("snowflake", namespace="default", owner="other", layout=layout)
    events.refill()
    first = events.next()
    if fails:
        with pytest.raises(Refused, match="store-unavailable"):
            events.close()
    else:
        events.close()
    assert first > 0 and len(returned) == 1 and returned[0]["worker"] == 3
    # The instance is still usable.
    other.refill()
    assert other.next() > 0
