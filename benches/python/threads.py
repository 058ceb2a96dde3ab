"""What two threads draw together beside one alone, in an interpreter without the global lock.

    python benches/python/threads.py        with leafid, on CPython 3.14t: `cargo xtask bench --only threads`

The floor does nothing but call a method of the thread's own: what this machine and interpreter give to a second thread.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import threading
import time
from collections.abc import Callable

from leafid import MemoryStore, Segment, Snowflake

ROUNDS, CALLS = 21, 400_000


def seconds(*calls: Callable[[], object]) -> float:
    """How long the threads take, one for each of the calls, which each makes `CALLS` times."""
    gate = threading.Barrier(len(calls) + 1)

    def run(call: Callable[[], object]) -> None:
        gate.wait()
        for _ in itertools.repeat(None, CALLS):
            call()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    gate.wait()
    begin = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin


def main() -> None:
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        raise SystemExit("this interpreter has the global lock, so that threads take turns: use `python3.14t`")
    store = MemoryStore()
    # Two of each; `max_ahead` is above what a run takes.
    segments = [Segment(f"bench{n}", store=store, step=10_000_000) for n in range(2)]
    snowflakes = [Snowflake(f"bench{n}", store=store, max_ahead=600) for n in range(2)]
    kinds = {
        "`object.__hash__()` (the floor)": [object().__hash__ for _ in range(2)],
        "`Segment.next()`": [ids.next for ids in segments],
        "`Snowflake.next()`": [ids.next for ids in snowflakes],
    }
    works = {}
    for name, (first, second) in kinds.items():
        works[name] = {"one": (first,), "own": (first, second), "shared": (first, first)}
    taken = {(name, how): [] for name, ways in works.items() for how in ways}
    for _ in range(ROUNDS):
        for name, ways in works.items():
            for how, calls in ways.items():
                taken[name, how].append(seconds(*calls) / CALLS / len(calls) * 1e9)
    ns = {key: statistics.median(each) for key, each in taken.items()}
    print("\n| Python 3.14t: ns per ID | one thread | two threads, a generator each | two threads, one generator |")
    print("|---|---|---|---|")
    for name in works:
        one, own, shared = (ns[name, how] for how in ("one", "own", "shared"))
        print(f"| {name} | {one:.1f} | {own:.1f}, {one / own:.2f} × as fast | {shared:.1f}, {one / shared:.2f} × |")


if __name__ == "__main__":
    main()
