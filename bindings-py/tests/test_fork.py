"""`fork`: a child drops everything inherited before its first ID, and sends nothing on its parent's behalf."""

import platform
import threading
import time

import pytest

import leafid
from support.answers import JSON, Answers, problem, wire
from support.child import in_child
from support.run import code, report
from support.waiting import end_all, start_all, until

pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


@pytest.mark.parametrize("word", ["", "close", "loop"])
@pytest.mark.parametrize("kind", ["segment", "snowflake"])
def test_four_children_of_one_generator_draw_no_duplicate(server, tmp_path, kind, word) -> None:
    """With a parent that draws, that closes, or whose event loop runs while tasks wait."""
    server.create_tag("forked", step=1_000, max_step=5_000)
    count = 2_000 if word == "loop" else 20_000
    told = report("forked.py", kind, server.url, 4, count, tmp_path, word)
    assert told["failed"] == 0 and told["duplicates"] == 0
    assert told["ids"] >= 4 * count + 5 and told["in_hand"] > 0
    assert told.get("waits", 1) >= 1


@pytest.mark.parametrize(("kind", "word", "count"), [
    ("segment", "unguarded", 20_000), ("snowflake", "unguarded", 20_000), ("segment", "alone", 2_000),
])  # fmt: skip
def test_without_the_guard_they_draw_duplicates(server, tmp_path, unguarded, kind, word, count) -> None:
    server.create_tag("forked", step=100_000)
    told = report("forked.py", kind, server.url, 4, count, tmp_path, word, path=unguarded)
    assert told["in_hand"] > count
    assert told["duplicates"] > 0


def test_a_child_of_a_busy_parent_never_waits_for_an_inherited_lock(server) -> None:
    server.create_tag("busy", step=2, max_step=2)
    ids = leafid.Segment("busy", server.url, timeout=20)
    over = threading.Event()

    def draw() -> None:
        while not over.is_set():
            ids.next()

    threads = start_all(threading.Thread(target=draw) for _ in range(2))
    try:
        ids.next()
        drawn = [in_child(lambda: len({ids.next() for _ in range(5)})) for _ in range(40)]
    finally:
        over.set()
    end_all(threads)
    assert drawn == ["5"] * 40
    ids.close()


def test_a_child_that_closes_leaves_the_parents_window(server) -> None:
    with leafid.Snowflake("default", server.url) as ids:
        before = ids.next()
        assert in_child(lambda: ids.close() or ids.next()) == "CLOSED"
        assert ids.next() > before
        worker = leafid.decode(before).worker
        with leafid.Snowflake("default", server.url) as others:
            assert leafid.decode(others.next()).worker != worker
    assert in_child(lambda: ids.closed) == "True" and in_child(ids.next) == "CLOSED"


@pytest.mark.parametrize("checks", [True, False], ids=["that-checks", "that-does-not"])
def test_a_child_knows_its_parents_store(make, checks) -> None:
    """Also where another store would grant the ask."""
    stores = [leafid.MemoryStore()]

    def answer(path, body):
        named = {**body, "tag": "orders", "namespace": "default"}
        if not checks:
            named.pop("store", None)
            named.pop("have_until", None)
        verb = "lease_segment" if "segments" in path else path.rsplit("/", 1)[1]
        try:
            return 200, JSON, wire(getattr(stores[-1], verb)(named))
        except leafid.StoreChangedError as error:
            return problem(error.code, 409, detail=str(error))

    with Answers(answer) as server:
        ids = make(server.url, timeout=20)
        ids.next()
        replace = lambda: stores.append(leafid.MemoryStore())  # noqa: E731
        assert in_child(lambda: first_of(ids), replace) == "STORE_CHANGED"


def first_of(ids) -> str:
    """The first ID, or the code of the error that stopped the generator."""
    try:
        return str(ids.next())
    except leafid.LeafidError as error:
        return error.code if ids.closed else f"{error.code}, and not stopped"


def test_grandchildren_too(server) -> None:
    server.create_tag("deep", step=50, max_step=50)
    ids = leafid.Segment("deep", server.url)
    ids.next()
    first, second = map(int, in_child(lambda: f"{ids.next()} {in_child(ids.next)}").split())
    assert len({1, first, second, ids.next()}) == 4
    assert second - first >= 50, "the grandchild leased a range of its own"


@pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="the number of the system call is that of Linux on x86-64",
)
def test_the_raw_system_call_is_seen(server) -> None:
    server.create_tag("raw", step=50, max_step=50)
    parent, child = map(int, code(RAW, server.url).split())
    assert parent == 2 and child >= 51


# In its own process, and holding the GIL: otherwise the child could wait for ever for a thread that does
# not exist there.
RAW = """
import ctypes, os, sys
import leafid
ids = leafid.Segment("raw", sys.argv[1])
assert ids.next() == 1
seen, told = os.pipe()
# Past the C library, so that no handler of `pthread_atfork` and none of Python runs.
pid = ctypes.PyDLL(None).syscall(57)
if pid == 0:
    try:
        os.write(told, b"%d" % ids.next())
        os._exit(0)
    finally:
        os._exit(1)
assert os.waitpid(pid, 0)[1] == 0
print(ids.next(), int(os.read(seen, 100)))
"""


def test_a_child_forked_while_the_line_is_switched_goes_on_above_it(server) -> None:
    server.create_namespace("ahead", layout="edge")
    with leafid.Snowflake("ahead", server.url, max_ahead=60, timeout=20) as ids:

        def ahead() -> float:
            # Moves the line ahead of the clock.
            ids.take(200_000)
            return leafid.decode(ids.next(), "edge").time.timestamp() - time.time()

        # A child that did not know the line's position would go back behind it.
        assert until(lambda: ahead() > 3)
        over, switches, first = threading.Event(), 0, []

        def switch() -> None:
            nonlocal switches
            while not over.is_set():
                ids.forget()
                ids.next()
                switches += 1

        switching = start_all([threading.Thread(target=switch)])
        closed = 0
        try:
            for _ in range(30):
                before = ids.next()
                # From `forget` until the store's answer there is nothing in hand.
                closed += until(lambda: not ids.stats().in_hand)
                first.append(int(in_child(ids.next)) > before)
        finally:
            over.set()
        end_all(switching)
        print(f"30 children, {closed} of a closed line; it was switched {switches} times")
        assert all(first) and closed >= 10 and switches >= 30
