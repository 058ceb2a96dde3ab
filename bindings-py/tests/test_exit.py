"""The end of the interpreter: it does not hang or crash, and windows are given back."""

import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.run import code, running
from support.waiting import until

KINDS = {
    "http": "store = sys.argv[1]",
    "memory": "store = leafid.MemoryStore()",
    "object": """
class Own:
    inner = leafid.MemoryStore()
    lease_segment, acquire, renew, release = (
        inner.lease_segment, inner.acquire, inner.renew, inner.release)
store = Own()
""",
    "hanging": """
class Own:
    inner = leafid.MemoryStore()
    def lease_segment(self, ask):
        if "have_until" in ask:
            time.sleep(3600)
        return self.inner.lease_segment(ask)
store = Own()
# One that hangs keeps all waiting who draw from it.
windows = store.inner
""",
}


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "raise SystemExit", "os._exit(0)"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_program_ends_without_closing(server, kind, end) -> None:
    server.create_tag("orders")
    begun = time.monotonic()
    said = code(
        f"import leafid, os, sys, time\nwindows = None\n{KINDS[kind]}\nwindows = windows or store\n"
        "orders, ids = leafid.Segment('orders', store), leafid.Snowflake(store=windows)\n"
        "print(orders.next(), orders.take(200)[-1], ids.next() > 0, flush=True)\n" + end,
        server.url,
    )
    assert said == "1 201 True\n"
    assert time.monotonic() - begun < 200, "an hour, if the hanging store kept it"


def test_the_store_may_be_away(server) -> None:
    server.create_tag("orders")
    program = """
        import leafid, sys
        orders, ids = leafid.Segment("orders", sys.argv[1]), leafid.Snowflake(store=sys.argv[1])
        print(orders.next(), ids.next() > 0, flush=True)
        sys.stdin.read()
    """
    with running(program, server.url) as process:
        assert process.stdout.readline() == "1 True\n"
        server.kill()
        said = process.communicate(timeout=300)
        assert (process.returncode, said) == (0, ("", ""))


# The threads' work while the interpreter ends, and how many programs run at once to make threads late.
LOOPS = {
    "draws": ("ids.next()", 16),
    "waits": ("never.next()", 4),
    "waits for many": ("never.take(5)", 4),
    "counters": ("ids.stats()", 4),
    "parts": ("leafid.decode(first)", 4),
    "awaits": ("asyncio.run(draw())", 4),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_threads_do_not_keep_or_abort_the_end(loop) -> None:
    """A thread that draws or waits is left behind. One that loses the interpreter lock below a native frame
    while the interpreter ends parks; unwinding would abort the process."""
    act, at_once = LOOPS[loop]
    program = f"""
        import asyncio, leafid, sys, threading, time
        # Threads take turns as seldom has a busy machine them do.
        sys.setswitchinterval(1e-6)
        class Own:
            inner = leafid.MemoryStore()
            lease_segment = inner.lease_segment
        class Never:
            def lease_segment(self, ask):
                time.sleep(3600)
        ids = leafid.Segment("orders", Own(), step=1, max_step=1, timeout=3600)
        never = leafid.Segment("never", Never(), timeout=3600)
        first, begin = ids.next(), threading.Barrier(5)
        async def draw():
            async def some():
                while not ids.closed:
                    await ids.anext()
            await asyncio.gather(*(some() for _ in range(5)), return_exceptions=True)
        def loop():
            begin.wait()
            while True: {act}
        for _ in range(4):
            threading.Thread(target=loop, daemon=True).start()
        threading.excepthook = lambda *what: None
        begin.wait()
        print("ends", flush=True)
        """
    with ThreadPoolExecutor(at_once) as pool:
        said = list(pool.map(lambda _: code(program), range(2 * at_once)))
    assert said == ["ends\n"] * 2 * at_once


def test_what_runs_later_is_told() -> None:
    said = code(
        """
        import atexit
        def last():
            try:
                ids.next()
            except leafid.ClosedError:
                print("closed")
            try:
                leafid.Segment("other", leafid.MemoryStore()).next()
            except leafid.ClosedError:
                print("closed")
        atexit.register(last)
        import leafid
        ids = leafid.Segment("orders", leafid.MemoryStore())
        atexit.register(lambda: print(ids.next()))
        print(ids.next())
        """
    )
    assert said.split() == ["1", "2", "closed", "closed"]


@pytest.mark.parametrize("end, given_back", [("", True), ("os._exit(0)", False)])
def test_windows_are_given_back_at_the_end(server, end, given_back) -> None:
    program = """
        import leafid, os, sys
        ids = leafid.Snowflake(store=sys.argv[1])
        print(leafid.decode(ids.next()).tick, flush=True)
    """

    def rests_ms() -> int:
        tick = int(code(textwrap.dedent(program) + end, server.url))
        rows = server.workers()
        rests = max(int(row["reserved_until"]) for row in rows) - tick
        print(f"a number rests for {rests} ms")
        return rests

    # The first window has 10 s. An ending process waits a second for its releases, which may be too short
    # on a busy machine: then the next process shows it, once that window has ended.
    if given_back:
        assert until(lambda: rests_ms() < 5_000)
    else:
        assert rests_ms() > 5_000


def test_idle_generators_are_nothing() -> None:
    said = code(
        """
        import leafid, threading
        ids = [leafid.Segment(f"tag{n}", "http://127.0.0.1:9") for n in range(1_000)]
        print(threading.active_count(), len(list(__import__("os").scandir("/proc/self/task"))))
        """
    )
    assert said == "1 1\n"
