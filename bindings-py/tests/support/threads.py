"""A script whose threads use generators at once, and which prints a summary as one line of JSON.

    python threads.py one|many|ends|loops|awaitable|collected|fork FOLDER COUNT [THREADS]

    one        all draw from the same generators, by every verb
    many       each has generators of its own
    ends       some draw, while others release, forget, close and replace
    loops      each runs an event loop, all wait for the same generators, and one thread draws without a loop
    awaitable  all resume, close and throw into the same calls
    collected  each makes stores that hold their generators, and drops them
    fork       all draw, while two fork, from generators on a file

COUNT is how many IDs each of them draws of each kind, or how often it does its work. A build without its guards draws
IDs twice with `one`.
"""

import asyncio
import gc
import itertools
import json
import os
import sys
import threading
import time
import traceback
import warnings
from array import array
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import leafid

# Far more than anything needs on a busy machine, in s.
PATIENCE_S = 240
Ids = leafid.Segment | leafid.Snowflake
# The IDs of each thread, by kind: a number of a tag may be that of a snowflake.
drawn: dict[str, list[array]] = {"Segment": [], "Snowflake": []}
failures: list[str] = []
counts: Counter[str] = Counter()


def both(store: object, **how: object) -> list[Ids]:
    """Ranges are short, so that threads often meet where one ends."""
    segment = leafid.Segment("threads", store, step=500, max_step=2_000, timeout=60, **how)
    return [segment, leafid.Snowflake("default", store, timeout=60, max_ahead=60, **how)]


def keep(ids: Ids) -> array:
    kept = array("Q")
    drawn[type(ids).__name__].append(kept)
    return kept


def at_once(*works: Callable[[], object]) -> None:
    """Begins all works at one moment, each in its thread."""
    gate = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> None:
        try:
            gate.wait(PATIENCE_S)
            work()
        except BaseException:
            failures.append(traceback.format_exc())

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
        if thread.is_alive():
            failures.append(f"{thread.name} does not end")


def draw(all_ids: list[Ids], count: int) -> None:
    """Draws this many of each, by every verb in turns; within a thread IDs ascend."""
    into = array("Q", bytes(8 * 40))
    for ids in all_ids:
        mine = keep(ids)
        while len(mine) < count:
            mine.extend(ids.next() for _ in range(20))
            mine.append(ids.next(timeout=60))
            mine.extend(ids.take(1) + ids.take(7) + ids.take(50))
            mine.extend(itertools.islice(ids, 9))
            ids.fill(into)
            mine.extend(into)
            mine.extend(into[: ids.fill_available(into)])
            ids.ready(1)
            assert ids.stats().ids > 0 and not ids.closed
        assert list(mine) == sorted(mine), "a thread's IDs do not ascend"


def one(count: int, threads: int) -> None:
    all_ids = both(leafid.MemoryStore())
    at_once(*[lambda: draw(all_ids, count)] * threads)
    for ids in all_ids:
        counts["uncounted"] += sum(map(len, drawn[type(ids).__name__])) - ids.stats().ids


def many(count: int, threads: int) -> None:
    store = leafid.MemoryStore()
    at_once(*[lambda: draw(both(store), count)] * threads)


def ends(count: int, threads: int) -> None:
    store = leafid.MemoryStore()
    now, over = [both(store)], threading.Event()

    def through() -> None:
        for at, kept in enumerate([keep(ids) for ids in now[0]]):
            while len(kept) < count:
                try:
                    kept.append(now[0][at].next())
                    kept.extend(now[0][at].take(3))
                except leafid.ClosedError:
                    counts["closed"] += 1
        over.set()

    def replace() -> None:
        while not over.is_set():
            for verb, ids in itertools.product(("release", "forget", "stats", "close"), now[0]):
                getattr(ids, verb)()
            now[0] = both(store)
            counts["replaced"] += 1

    def release() -> None:
        while not over.is_set():
            leafid.release_all()

    at_once(*[through] * threads, replace, release)


def loops(count: int, threads: int) -> None:
    all_ids = both(leafid.MemoryStore())

    async def some(ids: Ids, mine: array) -> None:
        for _ in range(count // 40):
            mine.append(await ids.anext())
            mine.extend(await ids.atake(5))
            await ids.aready(600)
            mine.extend([await anext(ids), ids.next()])
            try:
                async with asyncio.timeout(0):
                    mine.extend(await ids.atake(1_000))
            except TimeoutError:
                counts["cancelled"] += 1

    async def tasks() -> None:
        await asyncio.gather(*(some(ids, keep(ids)) for ids in all_ids for _ in range(5)))

    at_once(*[lambda: asyncio.run(tasks())] * threads, lambda: draw(all_ids, count))


def awaitable(count: int, threads: int) -> None:
    ids = leafid.Segment("threads", leafid.MemoryStore(), step=60, max_step=60)
    calls = [ids.anext() if number % 3 else ids.atake(2) for number in range(count)]

    def resume(at: int, mine: array) -> None:
        for number, call in enumerate(calls, at):
            try:
                if number % 7 == 0:
                    call.close()
                elif number % 11 == 0:
                    call.throw(KeyError)
                else:
                    call.send(None)
            except StopIteration as given:
                mine.extend(given.value if isinstance(given.value, list) else [given.value])
            except (KeyError, RuntimeError, ValueError):
                # Also where it would have to wait, since no event loop runs here.
                counts["refused"] += 1

    at_once(*[lambda at=at, mine=keep(ids): resume(at, mine) for at in range(threads)], lambda: draw([ids], count))


class Own:
    """A store that holds its generator."""

    def __init__(self, granted: leafid.MemoryStore) -> None:
        self.granted = granted
        self.ids = leafid.Segment("threads", self, step=3, max_step=3)

    def lease_segment(self, ask):
        return self.granted.lease_segment(ask)


def collected(count: int, threads: int) -> None:
    granted = leafid.MemoryStore()

    def make() -> None:
        mine = keep(Own(granted).ids)
        for number in range(count // 10):
            own = Own(granted)
            if number % 5 == 0:
                mine.extend(own.ids.next() for _ in range(5))
            if number % 20 == 0:
                gc.collect()

    at_once(*[make] * threads)


def fork(count: int, threads: int, folder: Path) -> None:
    all_ids = both(f"sqlite:{folder / 'threads.db'}", create=True)
    for ids in all_ids:
        keep(ids).append(ids.next())

    def forks() -> None:
        for number in range(5):
            pid = os.fork()
            if pid == 0:
                try:
                    child(all_ids, folder / f"{os.getpid()}-{number}")
                    os._exit(0)
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(1)
            if os.waitpid(pid, 0)[1]:
                failures.append("a child failed")

    at_once(*[lambda: draw(all_ids, count)] * threads, forks, forks)
    for ids in all_ids:
        for file in folder.glob(f"*.{type(ids).__name__}"):
            keep(ids).extend(array("Q", file.read_bytes()))
            counts["children"] += 1


def child(all_ids: list[Ids], file: Path) -> None:
    failures.clear()
    drawn.update({"Segment": [], "Snowflake": []})
    at_once(*[lambda: draw(all_ids, 300)] * 2)
    assert not failures, failures
    for kind, parts in drawn.items():
        file.with_suffix(f".{kind}").write_bytes(b"".join(map(bytes, parts)))


def main(what: str, folder: Path, count: int, threads: int) -> None:
    begun = time.monotonic()
    fork(count, threads, folder) if what == "fork" else globals()[what](count, threads)
    told = {"threads": threads, "lock": getattr(sys, "_is_gil_enabled", lambda: True)()}
    told["seconds"] = round(time.monotonic() - begun, 1)
    told["ids"] = sum(len(part) for parts in drawn.values() for part in parts)
    told["duplicates"] = told["ids"] - sum(len(set().union(*parts)) for parts in drawn.values())
    print(json.dumps({**told, **counts, "failures": failures[:3]}))


if __name__ == "__main__":
    # From 3.12 on, Python warns of every fork with threads; this script shows that it works.
    warnings.simplefilter("ignore", DeprecationWarning)
    what, folder, count, *rest = sys.argv[1:]
    main(what, Path(folder), int(count), int(rest[0]) if rest else 4)
