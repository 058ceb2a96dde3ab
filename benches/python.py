"""What one ID costs in Python, beside the floor of CPython in the same run.

Needs the installed wheel: `cargo xtask bench` runs it in the project's own environment.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import time
from array import array
from collections.abc import Awaitable, Callable, Iterable

from leafid import MemoryStore, Segment, Snowflake

ROUNDS = 21
CALLS = 50_000


def in_turns(works: list[tuple[str, int, Callable[[], object]]]) -> list[tuple[str, float]]:
    """Nanoseconds per ID of each work, the median of rounds taken in turns."""
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for (_, ids, run), times in zip(works, taken):
            begin = time.perf_counter_ns()
            run()
            times.append((time.perf_counter_ns() - begin) / ids)
    return [(name, statistics.median(times)) for (name, _, _), times in zip(works, taken)]


def repeated(call: Callable[[], object]) -> Callable[[], object]:
    """Calls it many times, with as little around it as Python allows."""

    def run() -> None:
        for _ in itertools.repeat(None, CALLS):
            call()

    return run


def looped(ids: Iterable[int]) -> Callable[[], object]:
    """Goes over so many of them in a `for`."""

    def run() -> None:
        for _ in itertools.islice(ids, CALLS):
            pass

    return run


def awaited(
    loop: asyncio.AbstractEventLoop, call: Callable[[], Awaitable[object]]
) -> Callable[[], object]:
    """Awaits it many times, in one task."""

    async def run() -> None:
        for _ in itertools.repeat(None, CALLS):
            await call()

    return lambda: loop.run_until_complete(run())


async def at_once() -> int:
    return 1


def show(title: str, figures: list[tuple[str, float]]) -> None:
    print(f"\n| {title} | ns per ID | × floor |\n|---|---|---|")
    floor = figures[0][1]
    for name, ns in figures:
        print(f"| {name} | {ns:.1f} | {ns / floor:.2f} |")


def main() -> None:
    store = MemoryStore()
    numbers = Segment("bench", store=store, step=1_000_000)
    stamps = Snowflake("bench", store=store)
    numbers.next(), stamps.next()
    count = itertools.count().__next__

    show(
        "Python, one ID",
        in_turns(
            [
                ("a native call that counts (`itertools.count`: the floor)", CALLS, repeated(count)),
                ("`Segment.next()`", CALLS, repeated(numbers.next)),
                ("`Snowflake.next()`", CALLS, repeated(stamps.next)),
            ]
        ),
    )
    show(
        "Python, `for`",
        in_turns(
            [
                ("`for _ in count` (the floor)", CALLS, looped(itertools.count())),
                ("`for _ in segment`", CALLS, looped(numbers)),
            ]
        ),
    )
    loop = asyncio.new_event_loop()
    show(
        "Python, one ID awaited",
        in_turns(
            [
                ("a coroutine that returns at once (the floor)", CALLS, awaited(loop, at_once)),
                ("`await Segment.anext()`", CALLS, awaited(loop, numbers.anext)),
                ("`await Snowflake.anext()`", CALLS, awaited(loop, stamps.anext)),
            ]
        ),
    )
    loop.close()
    buffer = array("Q", bytes(8 * 10_000))
    other = array("Q", bytes(8 * 10_000))
    show(
        "Python, 10,000 at once",
        in_turns(
            [
                ("`list(range(…))` (the floor of a list)", 10_000, lambda: list(range(1 << 40, (1 << 40) + 10_000))),
                ("`Segment.take(10_000)`", 10_000, lambda: numbers.take(10_000)),
                ("`Snowflake.take(10_000)`", 10_000, lambda: stamps.take(10_000)),
            ]
        ),
    )
    show(
        "Python, into a buffer of 10,000",
        in_turns(
            [
                ("copying a buffer (the floor)", 10_000, lambda: memoryview(buffer).__setitem__(slice(None), other)),
                ("`Segment.fill(buffer)`", 10_000, lambda: numbers.fill(buffer)),
                ("`Snowflake.fill(buffer)`", 10_000, lambda: stamps.fill(buffer)),
            ]
        ),
    )


if __name__ == "__main__":
    main()
