"""A journal for stores that this process opens itself: whatever state of a store is put back while processes lease or
before others begin, nothing is granted twice."""

import json
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import leafid
from leafid import Segment, Snowflake, SqlStore
from support.child import in_child

# How long processes draw while the store is put back, in s, and how often it is.
DRAWN_S, RESTORES = 3.0, 6
NEW = {"owner": "me", "sticky": False, "strict": False, "namespace": "default"}


class Kept(NamedTuple):
    """A store that can be copied and put back."""

    url: str
    copy: Callable[[], None]
    back: Callable[[], None]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.engine)])
def kept(request, tmp_path) -> Kept:
    if request.param == "sqlite":
        path, copy = tmp_path / "ids.db", tmp_path / "copy.db"

        def over(source: Path, target: Path) -> None:
            with closing(sqlite3.connect(source, timeout=30)) as one, closing(sqlite3.connect(target, timeout=30)) as other:
                one.backup(other)

        return Kept(f"sqlite:{path}", partial(over, path, copy), partial(over, copy, path))
    server = request.getfixturevalue("postgres")
    name, tables = server.make(), ("namespaces", "tags", "workers")

    def copy_all() -> None:
        server.run(name, *(f"CREATE TABLE copied_{table} AS SELECT * FROM leafid.{table}" for table in tables))

    def back() -> None:
        for table in tables:
            server.run(name, f"BEGIN; DELETE FROM leafid.{table}; INSERT INTO leafid.{table} SELECT * FROM copied_{table}; COMMIT")

    return Kept(server.url(name), copy_all, back)


@pytest.fixture
def journal(tmp_path) -> Path:
    folder = tmp_path / "journal"
    folder.mkdir()
    return folder


def opened(kept: Kept, journal: Path | None) -> SqlStore:
    """A store as a new process has it."""
    return SqlStore(kept.url, create=True, journal=journal)


def leased(store: SqlStore, tag: str = "orders", **ask: Any) -> range:
    grant = store.lease_segment({"tag": tag, "request": random.randbytes(16).hex(), **ask})
    return range(int(grant["start"]), int(grant["end"]))


def acquired(store: SqlStore, **ask: Any) -> dict[str, Any]:
    key = random.randbytes(16).hex()
    return {"key": key, **store.acquire({**NEW, "request": key, **ask})}


def renewed(store: SqlStore, window: dict[str, Any], have_until: int | None = None) -> dict[str, Any]:
    ask = {"namespace": window.get("namespace", "default"), "worker": window["worker"], "key": window["key"]}
    until = window["end"] if have_until is None else have_until
    return store.renew({**ask, "store": store.id, "request": random.randbytes(16).hex(), "have_until": int(until)})


def windows_overlap(windows: list[dict[str, Any]]) -> int:
    spans = sorted((window["worker"], int(window["start"]), int(window["end"])) for window in windows)
    return sum(a[0] == b[0] and b[1] < a[2] for a, b in zip(spans, spans[1:], strict=False))


def numbers_twice(ranges: list[range]) -> int:
    numbers = [number for each in ranges for number in each]
    return len(numbers) - len(set(numbers))


def put_back(kept: Kept, journal: Path | None) -> tuple[int, int]:
    """What is granted twice when the rows go back: numbers, and windows."""
    first = opened(kept, journal)
    first.create_tag("orders", step=10)
    kept.copy()
    ranges = [leased(first) for _ in range(3)]
    windows = [acquired(first) for _ in range(5)]
    first.close()
    kept.back()
    second = opened(kept, journal)
    ranges += [leased(second) for _ in range(3)]
    windows += [acquired(second) for _ in range(5)]
    second.close()
    return numbers_twice(ranges), windows_overlap(windows)


def test_a_restored_store_grants_nothing_twice(kept, journal, caplog) -> None:
    assert put_back(kept, journal) == (0, 0)
    assert [record.message for record in caplog.records if "STORE_WENT_BACK: " in record.message]


def test_without_a_journal_it_does(kept) -> None:
    told = put_back(kept, None)
    print(f"control: {told[0]} numbers and {told[1]} windows twice")
    assert min(told) > 0


def test_what_the_copy_lacks_is_made_again_above(kept, journal) -> None:
    store = opened(kept, journal)
    store.create_tag("gone", step=10)
    kept.copy()
    before = leased(store, "gone")
    store.delete_tag("gone")
    store.create_tag("orders", step=10)
    store.create_namespace("late")
    ranges, windows = [leased(store)], [acquired(store, namespace="late")]
    kept.back()
    for each in (store, opened(kept, journal)):
        assert leased(each, "gone").start >= before.stop
        each.create_tag("orders", step=10, if_missing=True)
        each.create_namespace("late", if_missing=True)
        ranges.append(leased(each))
        windows.append(acquired(each, namespace="late"))
    assert numbers_twice(ranges) == windows_overlap(windows) == 0
    assert ranges[1].start >= ranges[0].stop


def test_the_numbers_of_a_namespace_are_raised_together(kept, journal) -> None:
    store = opened(kept, journal)
    windows = [acquired(store)]
    kept.copy()
    windows += [acquired(store) for _ in range(130)]
    kept.back()
    windows += [acquired(store) for _ in range(3)]
    assert windows_overlap(windows) == 0


def test_holders_go_on(kept, journal) -> None:
    store = opened(kept, journal)
    store.create_tag("orders", step=10)
    held = acquired(store)
    kept.copy()
    have = leased(store)
    held = {**held, "end": renewed(store, held)["end"]}
    kept.back()
    assert leased(store, have_until=have.stop).start == have.stop
    # What the journal does not know stops them.
    with pytest.raises(leafid.StoreWentBackError):
        leased(store, have_until=10**9)
    time.sleep(0.01)
    with pytest.raises(leafid.LeaseLostError):
        renewed(store, held)
    other = acquired(store)
    assert windows_overlap([held, other]) == 0


def test_an_earlier_holder_is_not_renewed_over_a_later_one(kept, journal) -> None:
    store = opened(kept, journal)
    store.create_namespace("one", workers=(0, 1))
    first = acquired(store, namespace="one", length_ms=1_000)
    first["namespace"] = "one"
    kept.copy()
    time.sleep(1.1)
    second = acquired(store, namespace="one")
    assert (second["worker"], first["worker"]) == (0, 0)
    kept.back()
    for _ in range(2):
        with pytest.raises(leafid.LeaseLostError):
            renewed(store, first)
    with pytest.raises(leafid.WorkersExhaustedError):
        acquired(store, namespace="one")


DRAWER = """
import json, sys
import leafid
url, journal, seconds = sys.argv[1], sys.argv[2] or None, float(sys.argv[3])
import time
store = leafid.SqlStore(url, journal=journal)
end, ids, codes = time.monotonic() + seconds, [], []
numbers = stamps = None
while time.monotonic() < end:
    try:
        numbers = numbers or leafid.Segment("orders", store=store)
        stamps = stamps or leafid.Snowflake("default", store=store)
        ids += [("n", each) for each in numbers.take(7)] + [("s", each) for each in stamps.take(3)]
    except leafid.LeafidError as error:
        codes.append(error.code)
        numbers = stamps = None
    time.sleep(0.001)
print(json.dumps([ids, codes]))
"""


@contextmanager
def drawing(kept: Kept, journal: Path | None, seconds: float) -> Iterator[list[subprocess.Popen[str]]]:
    """Two processes that draw meanwhile."""
    words = [sys.executable, "-c", DRAWER, kept.url, str(journal or ""), str(seconds)]
    children = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(2)]
    try:
        yield children
    finally:
        for child in children:
            child.kill()
            child.wait()


def drawn_over_restores(kept: Kept, journal: Path | None) -> tuple[int, int, set[str]]:
    """How many IDs processes drew, and how many of them twice, while a store was put back, and before others began."""
    store = opened(kept, journal)
    store.create_tag("orders", step=20, max_step=20)
    store.close()
    kept.copy()
    ids: list[tuple[str, int]] = []
    codes: set[str] = set()
    for _ in range(2):
        with drawing(kept, journal, DRAWN_S) as children:
            for _ in range(RESTORES):
                time.sleep(DRAWN_S / RESTORES * random.uniform(0.5, 1))
                kept.back()
            for child in children:
                drawn, failed = json.loads(child.communicate(timeout=60)[0])
                ids += map(tuple, drawn)
                codes.update(failed)
        kept.back()
    return len(ids), len(ids) - len(set(ids)), codes


def test_processes_draw_while_the_store_goes_back(kept, journal) -> None:
    seed = random.randrange(1 << 32)
    random.seed(seed)
    drawn, twice, codes = drawn_over_restores(kept, journal)
    print(f"seed {seed}: {drawn} IDs, {twice} twice, {codes}")
    assert drawn > 1_000
    assert twice == 0
    # A tag that is taken out and put in again is not there in between.
    assert codes <= {"TAG_UNKNOWN"}


def test_without_a_journal_processes_draw_twice(kept) -> None:
    drawn, twice, codes = drawn_over_restores(kept, None)
    print(f"control: {drawn} IDs, {twice} twice, {codes}")
    assert twice > 0


def test_two_processes_share_a_journal(kept, journal) -> None:
    store = opened(kept, journal)
    store.create_tag("orders", step=10)
    kept.copy()
    before = leased(store)
    child = in_child(lambda: leased(store).start)
    kept.back()
    after = [leased(store).start, int(in_child(lambda: leased(store).start))]
    assert sorted([before.start, int(child), *after]) == [1, 11, 21, 31]


def test_a_journal_that_cannot_be_used(kept, journal, monkeypatch) -> None:
    for folder, why in ((journal / "none", "No such file"), (Path(__file__), "Not a directory")):
        with pytest.raises(leafid.StateInvalidError, match=why):
            opened(kept, folder)
    monkeypatch.setenv("LEAFID_JOURNAL", str(journal / "none"))
    with pytest.raises(leafid.StateInvalidError, match="journals cannot be used"):
        Segment("orders", store=kept.url)
    monkeypatch.setenv("LEAFID_JOURNAL", str(journal))
    store = SqlStore(kept.url, create=True)
    store.create_tag("orders", step=10)
    first = leased(store)
    (file,) = journal.glob("*.hosts")
    lock = journal / f"{file.name}.lock"
    lock.unlink()
    lock.mkdir()
    with pytest.raises(leafid.StoreUnavailableError, match=r"the journal `.*\.hosts` cannot be used: "):
        leased(store)
    lock.rmdir()
    assert leased(store).start >= first.stop


def test_generators_by_a_url_keep_a_journal(kept, journal, monkeypatch) -> None:
    monkeypatch.setenv("LEAFID_JOURNAL", str(journal))
    with Segment("orders", store=kept.url, create=True) as orders, Snowflake("default", store=kept.url) as stamps:
        orders.next(), stamps.next()
    (file,) = journal.glob("*.hosts")
    told = file.read_text()
    assert " orders #" in told and " default #" in told
