"""Prometheus: the counters of generators as metrics of `prometheus_client`.

    from prometheus_client import REGISTRY
    REGISTRY.register(Collector(orders, events))
"""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector as _Collector

from . import Segment, Snowflake, Stats

__all__ = ["Collector"]

_COUNTERS = {
    "ids": "IDs handed out",
    "asks": "asks that went to the store",
    "grants": "grants that were applied",
    "failures": "asks that failed",
    "waits": "how often there was no ID to hand out",
    "dropped": "positions that were granted and will never be handed out",
    "gaps": "ranges that did not begin where the one before ended",
}
_LABELS = ("kind", "name")


class Collector(_Collector):
    """Reads `stats()` of each generator at every scrape, and counts nothing twice.

    The numbers are those of this process: where several serve one address, each needs its own scrape,
    or a label. Labels are `kind` (`segment` or `snowflake`) and `name`, the tag or the namespace. The
    numbers of generators with the same name are summed.
    """

    def __init__(self, *ids: Segment | Snowflake) -> None:
        self._ids = ids

    def collect(self) -> Iterator[Metric]:
        """The metrics of one scrape."""
        told: dict[tuple[str, str], list[Stats]] = {}
        for each in self._ids:
            told.setdefault(_labels(each), []).append(each.stats())
        for field, about in _COUNTERS.items():
            counter = CounterMetricFamily(f"leafid_{field}", about, labels=_LABELS)
            for labels, stats in told.items():
                counter.add_metric(labels, sum(getattr(one, field) for one in stats))
            yield counter
        at_hand = GaugeMetricFamily("leafid_in_hand", "IDs at hand", labels=_LABELS)
        failing = GaugeMetricFamily("leafid_failing", "1 while asks fail", labels=_LABELS)
        for labels, stats in told.items():
            at_hand.add_metric(labels, sum(one.in_hand for one in stats))
            failing.add_metric(labels, float(any(one.last_code for one in stats)))
        yield at_hand
        yield failing


def _labels(ids: Segment | Snowflake) -> tuple[str, str]:
    if isinstance(ids, Segment):
        return "segment", ids.tag
    return "snowflake", ids.namespace
