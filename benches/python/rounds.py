"""Measures several works in turns, and takes the medians."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

ROUNDS = 31
CALLS = 20_000


class Work(NamedTuple):
    """A work to measure: one call of `run` makes `ids` IDs."""

    name: str
    ids: int
    run: Callable[[], object]


def repeated(name: str, call: Callable[[], object], calls: int = CALLS) -> Work:
    """Repeats a call with the least overhead that Python allows."""

    return Work(name, calls, times(calls, call))


def times(count: int, call: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        for _ in itertools.repeat(None, count):
            call()

    return run


def in_turns(works: list[Work]) -> dict[str, float]:
    """The ns per ID of each work: the median of rounds taken in turns."""
    taken: dict[str, list[float]] = {work.name: [] for work in works}
    for _ in range(ROUNDS):
        for name, ids, run in works:
            begin = time.perf_counter_ns()
            run()
            taken[name].append((time.perf_counter_ns() - begin) / ids)
    return {name: statistics.median(times) for name, times in taken.items()}


def show(title: str, figures: dict[str, float], unit: str = "ns per ID") -> None:
    """Prints a table; the floor is its first row."""
    floor = next(iter(figures.values()))
    print(f"\n| {title} | {unit} | × floor |\n|---|---|---|")
    for name, figure in figures.items():
        print(f"| {name} | {figure:.1f} | {figure / floor:.2f} |")
