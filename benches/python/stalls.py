"""How many calls take longer than 1 ms while ranges are leased, beside a loop without leafid.

    LEAFID_STORE=http://127.0.0.1:8750 python benches/python/stalls.py     with a tag `bench`
"""

from __future__ import annotations

import time
from collections.abc import Callable

from leafid_floor import Floor

from leafid import Segment, Snowflake

TURNS, TURN_NS, LONG_NS = 20, 250_000_000, 1_000_000


def long_calls(call: Callable[[], object]) -> tuple[int, int]:
    """Calls within one turn, and how many of them were long."""
    clock, calls, long = time.perf_counter_ns, 0, 0
    before = clock()
    end = before + TURN_NS
    while before < end:
        call()
        after = clock()
        calls += 1
        if after - before > LONG_NS:
            long += 1
        before = after
    return calls, long


def main() -> None:
    # The tag's steps grow while its ranges last for moments: one lease is followed by the next.
    numbers, stamps = Segment("bench", step=1_000, max_step=100_000), Snowflake(length=1.0)
    numbers.next(), stamps.next()
    works = {
        "the same loop without leafid": Floor().next,
        "`Segment.next()`": numbers.next,
        "`Snowflake.next()`": stamps.next,
    }
    told = {name: [0, 0] for name in works}
    for _ in range(TURNS):
        for name, call in works.items():
            for at, count in enumerate(long_calls(call)):
                told[name][at] += count
    leases = ["–", numbers.stats().grants, stamps.stats().grants]
    seconds = TURNS * TURN_NS / 1e9
    print(f"\n| Python: {seconds:.0f} s of calls each, in turns | calls | leases | above 1 ms |")
    print("|---|---|---|---|")
    for (name, (calls, long)), grants in zip(told.items(), leases):
        print(f"| {name} | {calls:,} | {grants} | {long} |")


if __name__ == "__main__":
    main()
