"""`leafid.prometheus`, scraped by the real client."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, generate_latest

import leafid
from leafid.prometheus import Collector
from support.waiting import failing


def test_what_is_scraped(memory) -> None:
    memory.create_tag("orders", step=10)
    orders, more = leafid.Segment("orders", memory), leafid.Segment("orders", memory)
    events = leafid.Snowflake(store=memory)
    nowhere = leafid.Segment("none", "http://127.0.0.1:1")
    registry = CollectorRegistry()
    registry.register(Collector(orders, more, events, nowhere))
    orders.take(5), more.next(), events.next()
    failing(nowhere)

    def value(name: str, kind: str = "segment", of: str = "orders") -> float | None:
        return registry.get_sample_value(f"leafid_{name}", {"kind": kind, "name": of})

    assert value("ids_total") == 6, "of both generators of this name"
    assert value("grants_total") >= 2 and value("in_hand") >= 14
    assert value("ids_total", "snowflake", "default") == 1
    assert value("failures_total", of="none") >= 1
    assert (value("failing"), value("failing", of="none")) == (0, 1)
    orders.take(2)
    assert value("ids_total") == 8
    text = generate_latest(registry).decode()
    assert "# TYPE leafid_ids_total counter" in text and "# TYPE leafid_in_hand gauge" in text
