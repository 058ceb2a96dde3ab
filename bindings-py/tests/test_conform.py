"""`leafid.testing.conform`: our stores pass, and wrong ones fail the cases for their fault."""

import json
import secrets
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import leafid
from leafid import MemoryStore, SqliteStore, SqlStore, registry
from leafid import _conform
from leafid.testing import Clock, DoesNotConform, conform
from support.places import ROOT
from support.waiting import PATIENCE

CASES = json.loads((ROOT / "client/conform.json").read_text())["cases"]
ALL = {case["name"] for case in CASES}
CLOCK = {case["name"] for case in CASES if "clock" in case["needs"]}
# A store in memory creates tags and namespaces on first use, with more worker numbers than the cases take.
IN_MEMORY = {"lease-unknown-tag", "acquire-unknown-namespace", "numbers-exhausted"}
TWO_PROCESSES = {"lease-other-process", "acquire-other-process"}


def test_a_store_in_a_file(tmp_path) -> None:
    store = SqliteStore(tmp_path / "ids.db", create=True)
    passed = conform(store, again=lambda: SqliteStore(tmp_path / "ids.db"))
    assert set(passed) == ALL - CLOCK and len(CASES) == len(ALL) == 28
    # A second run gets worker numbers too.
    assert set(conform(store, tag="other")) == ALL - CLOCK - TWO_PROCESSES


def test_a_store_in_memory() -> None:
    passed = conform(MemoryStore())
    assert set(passed) == ALL - CLOCK - IN_MEMORY - TWO_PROCESSES


def test_databases(database) -> None:
    connect = database.factory(database.make())
    passed = conform(SqlStore(connect, create=True), again=lambda: SqlStore(connect))
    assert set(passed) == ALL - CLOCK


def test_a_server(server) -> None:
    server.create_tag("conform")
    server.create_namespace("conform", layout="leaf", workers={"start": 0, "end": 4})
    again = partial(leafid.HttpStore, server.url)
    assert set(conform(again(), again=again)) == ALL - CLOCK


class Own(SqliteStore):
    """The base of the stores below: in a new file, with a clock that is moved by hand."""

    def __init__(self, folder: Path) -> None:
        self.moved, self.windows = Clock(), []
        self.moved.freeze()
        super().__init__(folder / f"{secrets.token_hex(4)}.db", create=True, clock=self.moved)

    def acquire(self, ask: dict[str, Any]) -> dict[str, Any]:
        self.windows.append(super().acquire(ask))
        return self.windows[-1]


def test_where_nothing_goes_wrong_it_passes(tmp_path) -> None:
    store = Own(tmp_path)
    frozen_at = store.moved.wall_ms
    # The clock is frozen, so nothing expires by itself.
    assert set(conform(store, clock=store.moved)) == ALL - TWO_PROCESSES
    assert store.moved.wall_ms - frozen_at > 1_000, "it was moved by hand"


class ReadLate(Own):
    """Correct: of simultaneous callers, the first one reads its answer last, after much later answers of
    the others."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.lock, self.others_went_on = threading.Lock(), threading.Event()
        self.calls: dict[int, int] = {}

    def lease_segment(self, ask: dict[str, Any]) -> dict[str, Any]:
        if threading.current_thread() is threading.main_thread() or self.others_went_on.is_set():
            return super().lease_segment(ask)
        me = threading.get_ident()
        with self.lock:
            grant, is_first = super().lease_segment(ask), not self.calls
            self.calls[me] = self.calls.get(me, 0) + 1
            self.moved.advance(5_000 if is_first else 0)
        if is_first:
            assert self.others_went_on.wait(PATIENCE)
        elif self.calls[me] > 2:
            self.others_went_on.set()
        return grant


def test_an_answer_that_is_read_late_is_no_time_that_goes_back(tmp_path) -> None:
    store = ReadLate(tmp_path)
    assert "lease-at-once" in conform(store, clock=store.moved)
    assert store.others_went_on.is_set()


def test_a_store_that_hangs_is_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(_conform, "_HANGS_S", 0.2)
    over = threading.Event()

    class Hangs(Own):
        def lease_segment(self, ask: dict[str, Any]) -> dict[str, Any]:
            if threading.current_thread() is not threading.main_thread():
                over.wait(PATIENCE)
            return super().lease_segment(ask)

    store = Hangs(tmp_path)
    try:
        with pytest.raises(DoesNotConform, match="it does not answer within 0.2 s"):
            conform(store, clock=store.moved)
    finally:
        over.set()


class ReadsThenWrites(Own):
    """Wrong: another transaction may come between reading and writing."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.row = registry.tag_row({"tag": "conform"})

    def lease_segment(self, ask: dict[str, Any]) -> dict[str, Any]:
        row, grant = registry.lease_segment(self.id, self.row, ask, self.moved.wall_ms)
        time.sleep(0.001)
        self.row = row
        return grant


class ForgetsRequests(Own):
    """Wrong: a repeated ask, after a lost answer, gets a second worker number."""

    def acquire(self, ask: dict[str, Any]) -> dict[str, Any]:
        return {**super().acquire({**ask, "request": secrets.token_hex(16)}), "request": ask["request"]}


class AsksNoKey(Own):
    """Wrong: renews without a check of the key."""

    def renew(self, ask: dict[str, Any]) -> dict[str, Any]:
        keys = {window["worker"]: window["request"] for window in self.windows}
        return super().renew({**ask, "key": keys[ask["worker"]]})


class Begins(Own):
    """Wrong: each process starts with a new, empty store."""


@pytest.mark.parametrize(("store", "check"), [
    (ReadsThenWrites, "lease-at-once"),
    (ForgetsRequests, "acquire-again"),
    (AsksNoKey, "renew-key"),
    (Begins, "lease-other-process"),
])  # fmt: skip
def test_a_wrong_store_is_told(store, check, tmp_path) -> None:
    made = store(tmp_path)
    with pytest.raises(DoesNotConform) as said:
        conform(made, clock=made.moved, again=partial(Begins, tmp_path) if store is Begins else None)
    assert check in said.value.failed, str(said.value)
    assert f"- {check}: " in str(said.value)


def test_what_answers_with_something_else() -> None:
    class Odd:
        def lease_segment(self, ask: dict[str, Any]) -> Any:
            return None

    with pytest.raises(DoesNotConform, match="the answer of the store's `lease_segment` is a `NoneType`, not a dict"):
        conform(Odd())
