"""`fork`: a child drops everything before its first ID, and sends nothing in the old name."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import threading

import pytest

import leafid
from support.answers import JSON, Answers, wire
from support.forked import wait
from support.places import HERE
from support.run import python, unguarded

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]
FORKED = HERE / "support/forked.py"


def forked(kind, server, folder, *words, path=None):
    folder.mkdir(exist_ok=True)
    said = python(FORKED, kind, server.url, 4, 20_000, folder, *words, path=path)
    told = json.loads(said.splitlines()[-1])
    print(f"fork, {kind} {words}: {told}")
    return told


@pytest.mark.parametrize("close", [False, True], ids=["parent-draws", "parent-closes"])
@pytest.mark.parametrize("kind", ["segment", "snowflake"])
def test_four_children_of_one_generator_draw_no_duplicate(server, tmp_path, kind, close) -> None:
    server.create_tag("forked", step=1_000, max_step=1_000)
    told = forked(kind, server, tmp_path / "drawn", *(["close"] if close else []))
    assert told["failed"] == 0
    assert told["ids"] >= 4 * 20_000 + 100
    assert told["duplicates"] == 0
    assert told["grants"] >= (4 * 20 if kind == "segment" else 4)


@pytest.mark.parametrize("kind", ["segment", "snowflake"])
def test_without_the_guard_they_draw_duplicates(server, tmp_path, kind) -> None:
    server.create_tag("forked", step=100_000)
    told = forked(kind, server, tmp_path / "drawn", path=unguarded(tmp_path / "unguarded"))
    assert told["in_hand"] > 20_000
    assert told["duplicates"] > 0


def test_a_child_of_a_busy_parent_never_waits_for_an_inherited_lock(server) -> None:
    server.create_tag("busy", step=2, max_step=2)
    ids = leafid.Segment("busy", server.url, timeout=20)
    over = threading.Event()

    def draw() -> None:
        while not over.is_set():
            ids.next()

    threads = [threading.Thread(target=draw) for _ in range(2)]
    for thread in threads:
        thread.start()
    ids.next()
    failed = 0
    for _ in range(40):
        pid = os.fork()
        if pid == 0:
            try:
                os._exit(0 if len({ids.next() for _ in range(5)}) == 5 else 2)
            finally:
                os._exit(1)
        failed += wait(pid)
    over.set()
    for thread in threads:
        thread.join()
    assert failed == 0
    ids.close()


def test_a_child_that_closes_leaves_the_parents_window(server) -> None:
    with leafid.Snowflake("default", server.url) as ids:
        before = ids.next()
        pid = os.fork()
        if pid == 0:
            try:
                ids.close()
                try:
                    ids.next()
                except leafid.ClosedError:
                    os._exit(0)
            finally:
                os._exit(1)
        assert not wait(pid)
        assert ids.next() > before
        worker = leafid.decode(before).worker
        with leafid.Snowflake("default", server.url) as others:
            assert leafid.decode(others.next()).worker != worker


def test_a_closed_generator_is_closed_in_the_child(server) -> None:
    server.create_tag("orders")
    ids = leafid.Segment("orders", server.url)
    ids.next()
    ids.close()
    pid = os.fork()
    if pid == 0:
        try:
            assert ids.closed
            ids.next()
        except leafid.ClosedError:
            os._exit(0)
        finally:
            os._exit(1)
    assert not wait(pid)


@pytest.mark.parametrize("kind", ["segment", "snowflake"])
def test_a_child_knows_its_parents_store(kind) -> None:
    stores = [leafid.MemoryStore()]

    def answer(path, body):
        named = {**body, "tag": "orders", "namespace": "default"}
        verb = "lease_segment" if "segments" in path else path.rsplit("/", 1)[1]
        return 200, JSON, wire(getattr(stores[-1], verb)(named))

    with Answers(answer) as server:
        make = {"segment": lambda: leafid.Segment("orders", server.url)}
        make["snowflake"] = lambda: leafid.Snowflake(store=server.url)
        ids = make[kind]()
        ids.next()
        stores.append(leafid.MemoryStore())
        pid = os.fork()
        if pid == 0:
            try:
                ids.next(timeout=10)
            except leafid.StoreChangedError:
                os._exit(0 if ids.closed else 2)
            finally:
                os._exit(1)
        assert not wait(pid)


def test_a_memory_store_is_closed_in_the_child(memory) -> None:
    ids = leafid.Segment("orders", memory)
    ids.next()
    pid = os.fork()
    if pid == 0:
        try:
            ids.next(timeout=5)
        except leafid.ClosedError as error:
            os._exit(0 if "forked child" in str(error) else 2)
        finally:
            os._exit(1)
    assert not wait(pid)
    assert ids.next() == 2


def test_grandchildren_too(server) -> None:
    server.create_tag("deep", step=50, max_step=50)
    ids = leafid.Segment("deep", server.url)
    seen, told = os.pipe()
    ids.next()
    child = os.fork()
    if child == 0:
        try:
            first = ids.next()
            grandchild = os.fork()
            if grandchild == 0:
                os.write(told, f"{first} {ids.next()}\n".encode())
                os._exit(0)
            os._exit(wait(grandchild))
        finally:
            os._exit(1)
    assert not wait(child)
    first, second = map(int, os.read(seen, 100).split())
    assert len({1, first, second, ids.next()}) == 4
    assert second - first >= 50, "the grandchild leased a range of its own"


@pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="the number of the system call is that of Linux on x86-64",
)
def test_the_raw_system_call_is_seen(server) -> None:
    server.create_tag("raw", step=50, max_step=50)
    ids = leafid.Segment("raw", server.url)
    ids.next()
    seen, told = os.pipe()
    # Past the C library, so that no handler of `pthread_atfork` and none of Python runs.
    pid = ctypes.PyDLL(None).syscall(57)
    if pid == 0:
        try:
            os.write(told, b"%d" % ids.next())
            os._exit(0)
        finally:
            os._exit(1)
    assert not wait(pid)
    assert {1, 2} == {1, ids.next()} and int(os.read(seen, 100)) >= 51
