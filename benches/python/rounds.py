"""Measuring: rounds of several works in turns, and the medians of what they took."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

ROUNDS = 31
CALLS = 20_000


class Work(NamedTuple):
    """What is measured: so many IDs by one call of `run`."""

    name: str
    ids: int
    run: Callable[[], object]


def repeated(name: str, call: Callable[[], object], calls: int = CALLS) -> Work:
    """A call that is made many times, with as little around it as Python allows."""

    return Work(name, calls, times(calls, call))


def times(count: int, call: Callable[[], object]) -> Callable[[], None]:
    """Calls it so often."""

    def run() -> None:
        for _ in itertools.repeat(None, count):
            call()

    return run


def in_turns(works: list[Work]) -> dict[str, float]:
    """Nanoseconds per ID of each, the median of rounds taken in turns."""
    taken: dict[str, list[float]] = {work.name: [] for work in works}
    for _ in range(ROUNDS):
        for name, ids, run in works:
            begin = time.perf_counter_ns()
            run()
            taken[name].append((time.perf_counter_ns() - begin) / ids)
    return {name: statistics.median(times) for name, times in taken.items()}


def show(title: str, figures: dict[str, float], floor: float | None = None) -> None:
    """A table; the floor is its first row, unless it is told."""
    floor = floor or next(iter(figures.values()))
    print(f"\n| {title} | ns per ID | × floor |\n|---|---|---|")
    for name, ns in figures.items():
        print(f"| {name} | {ns:.1f} | {ns / floor:.2f} |")
