"""`leafid.testing.conform`: our stores pass it, and wrong ones are told by the check's name."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

import leafid
from leafid import MemoryStore, SqliteStore, SqlStore, registry
from leafid._conform import subject
from leafid._conform.checks import CHECKS
from leafid.testing import Clock, DoesNotConform, conform
from support.rows import Rows
from support.waiting import PATIENCE

ALL = {name for name, _, _ in CHECKS}
# A store in memory creates tags and namespaces by use.
IN_MEMORY = {"lease-unknown-tag", "acquire-unknown-namespace"}
TWO_PROCESSES = {
    "lease-other-process",
    "acquire-other-process",
}
# Where windows end while the numbers are taken, on a busy machine, or there are more of them.
SPENT = {"release-rests"}


def test_there_are_many() -> None:
    assert len(CHECKS) == len(ALL) == 27
    assert TWO_PROCESSES | SPENT | IN_MEMORY < ALL


def test_a_store_in_a_file(tmp_path) -> None:
    store = SqliteStore(tmp_path / "ids.db", create=True)
    passed = conform(store, again=lambda: SqliteStore(tmp_path / "ids.db"))
    assert {*passed, *SPENT} == ALL
    # Another run finds numbers, and no tag that is in its way.
    assert {*conform(store), *SPENT} == ALL - TWO_PROCESSES


def test_a_store_in_memory() -> None:
    passed = conform(MemoryStore())
    assert set(passed) == ALL - IN_MEMORY - TWO_PROCESSES - SPENT
    assert conform("memory:") == passed


def test_with_a_clock_nobody_waits(tmp_path) -> None:
    clock = Clock()
    clock.freeze()
    frozen_at = clock.wall_ms
    passed = conform(MemoryStore(clock=clock), clock=clock)
    filed = SqliteStore(tmp_path / "ids.db", create=True, clock=clock)
    # Time stands still, so nothing ends by itself.
    assert set(conform(filed, clock=clock)) == ALL - TWO_PROCESSES
    assert set(passed) < ALL
    assert clock.wall_ms - frozen_at > 1_000, "it was moved by hand"


def test_databases(database) -> None:
    connect = database.factory(database.make())
    passed = conform(SqlStore(connect, create=True), again=lambda: SqlStore(connect))
    assert {*passed, *SPENT} == ALL


def test_a_server(server) -> None:
    server.create_tag("conform")
    server.create_namespace("conform", layout="leaf", workers={"start": 0, "end": 4})
    again = lambda: leafid.HttpStore(server.url)  # noqa: E731
    assert {*conform(server.url, again=again), *SPENT} == ALL


class OneAtATime:
    """A store of a few lines, as a user would write it, on rows in memory: one call at a time."""

    def __init__(self) -> None:
        self.clock, self.lock = Clock(), threading.Lock()
        self.rows = Rows("5a" * 16)
        self.rows.create_tag({"tag": "conform"})
        space = {"namespace": "conform", "layout": "leaf", "workers": {"start": 0, "end": 4}}
        self.rows.create_namespace(space)

    def lease_segment(self, ask: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            return self.told().lease_segment(ask)

    def acquire(self, ask: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            return self.told().acquire(ask)

    def renew(self, ask: dict[str, Any]) -> dict[str, Any]:
        return self.told().renew(ask)

    def release(self, ask: dict[str, Any]) -> dict[str, Any]:
        return self.told().release(ask)

    def told(self) -> Rows:
        self.rows.set_clock(self.clock.wall_ms)
        return self.rows


def test_a_store_of_a_few_lines_passes() -> None:
    assert {*conform(OneAtATime()), *SPENT} == ALL - TWO_PROCESSES


class ReadLate(OneAtATime):
    """Right: the first of those who ask at once reads its answer when the others have had theirs, which
    were given long after it."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[int, int] = {}
        self.ahead_ms, self.others_went_on = 0, threading.Event()

    def told(self) -> Rows:
        self.rows.set_clock(self.clock.wall_ms + self.ahead_ms)
        return self.rows

    def lease_segment(self, ask: dict[str, Any]) -> dict[str, Any]:
        grant = super().lease_segment(ask)
        if threading.current_thread() is threading.main_thread() or self.others_went_on.is_set():
            return grant
        me = threading.get_ident()
        with self.lock:
            is_first = not self.calls
            self.calls[me] = self.calls.get(me, 0) + 1
            self.ahead_ms = 5_000
        if is_first:
            assert self.others_went_on.wait(PATIENCE)
        elif self.calls[me] > 2:
            self.others_went_on.set()
        return grant


def test_an_answer_that_is_read_late_is_no_time_that_goes_back() -> None:
    store = ReadLate()
    assert {*conform(store, clock=store.clock), *SPENT} == ALL - TWO_PROCESSES


def test_a_store_that_hangs_is_told(monkeypatch) -> None:
    monkeypatch.setattr(subject, "_HANGS_S", 0.2)
    over = threading.Event()

    class Hangs(OneAtATime):
        def lease_segment(self, ask: dict[str, Any]) -> dict[str, Any]:
            if threading.current_thread() is not threading.main_thread():
                over.wait(PATIENCE)
            return super().lease_segment(ask)

    store = Hangs()
    try:
        with pytest.raises(DoesNotConform, match="it does not answer within 0.2 s"):
            conform(store, clock=store.clock)
    finally:
        over.set()


class ReadsThenWrites(OneAtATime):
    """Wrong: another may be between reading and writing."""

    def lease_segment(self, ask: dict[str, Any]) -> dict[str, Any]:
        rows = self.told()
        if ask["tag"] not in rows.tags:
            raise leafid.TagUnknownError("no tag")
        row, grant = registry.lease_segment(rows.id, rows.tags[ask["tag"]], ask, rows.now_ms)
        time.sleep(0.001)
        rows.tags[ask["tag"]] = row
        return grant


class ForgetsRequests(OneAtATime):
    """Wrong: who asks again, since the answer was lost, gets a second number."""

    def acquire(self, ask: dict[str, Any]) -> dict[str, Any]:
        grant = super().acquire({**ask, "request": "0" + ask["request"][1:]})
        for rows in self.rows.workers["conform"].values():
            if rows["key"] == "0" + ask["request"][1:]:
                rows["key"] = None
        return {**grant, "request": ask["request"]}


class FreesAtOnce(OneAtATime):
    """Wrong: who has crashed has its number taken away before its window is over."""

    def acquire(self, ask: dict[str, Any]) -> dict[str, Any]:
        for row in self.rows.workers["conform"].values():
            row["reserved_until"] = row["held_from"]
        return super().acquire(ask)


class AsksNoKey(OneAtATime):
    """Wrong: it renews whoever asks."""

    def renew(self, ask: dict[str, Any]) -> dict[str, Any]:
        row = self.rows.workers["conform"][ask["worker"]]
        return super().renew({**ask, "key": row["key"] or ask["key"]})


class Begins(OneAtATime):
    """Wrong: it is made anew, empty, with each process."""


@pytest.mark.parametrize(("store", "check"), [
    (ReadsThenWrites, "lease-at-once"),
    (ForgetsRequests, "acquire-again"),
    (FreesAtOnce, "numbers-exhausted"),
    (AsksNoKey, "renew-key"),
    (Begins, "lease-other-process"),
])  # fmt: skip
def test_a_wrong_store_is_told(store, check) -> None:
    made = store()
    with pytest.raises(DoesNotConform) as said:
        conform(made, clock=made.clock, again=Begins if store is Begins else None)
    assert check in said.value.failed, str(said.value)
    assert f"- {check}: " in str(said.value)


def test_what_answers_with_something_else() -> None:
    class Odd:
        def lease_segment(self, ask: dict[str, Any]) -> Any:
            return None

    with pytest.raises(DoesNotConform, match="the answer is a `NoneType`, not a dict"):
        conform(Odd())
