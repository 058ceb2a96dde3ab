"""The cost of one ID in Python, beside a native method that does nothing, in the same run.

    python benches/python/ids.py        with leafid and leafid_floor: `cargo xtask bench --only python`
"""

from __future__ import annotations

import itertools
import timeit
from array import array
from collections.abc import Awaitable, Callable, Iterable

from leafid_floor import Floor
from rounds import CALLS, Work, in_turns, repeated, show, times

from leafid import MemoryStore, Segment, Snowflake, base32
from leafid._values import Stats

TAKEN, FILLED = 1_000, 100_000
FLOOR = "a native method that returns an int (the floor)"


def looped(name: str, ids: Iterable[int]) -> Work:
    """Iterates over this many IDs."""

    def run() -> None:
        for _ in itertools.islice(ids, CALLS):
            pass

    return Work(name, CALLS, run)


def awaited(name: str, call: Callable[[], Awaitable[object]]) -> Work:
    """Awaits it many times, in one coroutine. Nothing blocks, so no event loop is needed, whose
    system calls would count as well."""

    async def many() -> None:
        for _ in itertools.repeat(None, CALLS):
            await call()

    def run() -> None:
        try:
            many().send(None)
        except StopIteration:
            return
        raise AssertionError(f"{name} waited")

    return Work(name, CALLS, run)


def written(call: str, ids: Segment) -> Work:
    """Makes a call as it is written, with its arguments."""
    names = {"ids": ids, "base32": base32, "id": ids.next(), "Stats": Stats, "fields": ids.stats()}
    timer = timeit.Timer(call, globals=names)
    return Work(f"`{call}`", CALLS, lambda: timer.timeit(CALLS))


async def at_once() -> int:
    return 1


def main() -> None:
    store = MemoryStore()
    buffer = array("Q", bytes(8 * FILLED))

    def both() -> list[tuple[str, Segment | Snowflake]]:
        """New generators for each row, so that no Snowflake reaches its `max_ahead`."""
        made = [Segment("bench", store=store, step=10_000_000), Snowflake("bench", store=store)]
        for ids in made:
            ids.next()
        return [(type(ids).__name__, ids) for ids in made]

    works = [repeated(FLOOR, Floor().next)]
    works += [repeated(f"`{name}.next()`", ids.next) for name, ids in both()]
    works += [looped(f"`for id in {name}`", ids) for name, ids in both()]
    works += [
        Work(f"`{name}.take({TAKEN:_})`", CALLS, times(CALLS // TAKEN, lambda ids=ids: ids.take(TAKEN)))
        for name, ids in both()
    ]
    works += [
        Work(f"`{name}.fill(buffer)` of {FILLED:_}", FILLED, lambda ids=ids: ids.fill(buffer))
        for name, ids in both()
    ]
    show("Python: one ID", in_turns(works))

    ids = both()[0][1]
    # Beside each of the dearer calls stands what Python takes to make such a value by itself.
    calls = ["ids.next()", "ids.next(1)", "ids.next(timeout=1.0)"]
    calls += ["ids.take(1)", "[id]", "base32(id)", "str(id)", "ids.stats()", "Stats(*fields)"]
    show("Python: calls with arguments, an ID at hand", in_turns([written(call, ids) for call in calls]))

    works = [awaited("a coroutine that returns at once (the floor)", at_once)]
    works += [awaited(f"`await {name}.anext()`", ids.anext) for name, ids in both()]
    show("Python: one ID awaited", in_turns(works))


if __name__ == "__main__":
    main()
