"""Waiting: without the interpreter lock, up to a time-out, interruptible. Clocks that freeze, step back and leap: no
error, no duplicate, and IDs stay timely; the vectors (`clocks.json`) have more of these."""

import os
import signal
import threading
import time

import pytest

import leafid
from leafid import Segment, Snowflake
from leafid.testing import Clock
from support.forked import wait
from support.waiting import PATIENCE, end_all, failing, start_all, until


def test_a_time_out_per_call_and_per_generator(gate) -> None:
    cases = (Segment("a", gate, timeout=0.2), {}), (Segment("a", gate, timeout=60), {"timeout": 0.2})
    for ids, how in cases:
        begun = time.monotonic()
        with pytest.raises(leafid.TimedOutError, match="within 0.2 s") as late:
            ids.next(**how)
        assert 0.19 < time.monotonic() - begun < 30, "not the minute of the generator"
        assert late.value.code == "TIMED_OUT"
        assert isinstance(late.value.__cause__, leafid.SegmentDryError)


def test_a_signal_interrupts(gate) -> None:
    ids = Segment("orders", gate)
    waits = threading.get_ident()

    def interrupt() -> None:
        # Not by a timer, which could fire before the wait begins.
        assert gate.asked.wait(PATIENCE)
        signal.pthread_kill(waits, signal.SIGALRM)

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    interrupting = threading.Thread(target=interrupt, daemon=True)
    begun = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupting.start()
            ids.next(timeout=60)
    finally:
        end_all([interrupting])
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begun < 40, "at once, not when the minute is over"
    gate.gate.set()
    assert ids.next() == 1


def test_a_handler_may_draw_itself(gate) -> None:
    ids = Segment("orders", gate)
    drawn: list[int] = []

    def handler(number, frame):
        gate.gate.set()
        drawn.append(ids.next())

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        drawn.append(ids.next(timeout=PATIENCE))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert sorted(drawn) == [1, 2]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_handler_may_fork(server) -> None:
    server.create_tag("orders", step=5, max_step=5)
    ids = Segment("orders", server.url, timeout=PATIENCE)
    ids.next()
    told, heard = os.pipe()
    parent = os.getpid()

    children: list[int] = []

    def handler(number, frame):
        children.append(os.fork())

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0)
    try:
        # Forks during a wait for an ID, or before.
        drawn = [ids.next()]
        while not children:
            drawn.append(ids.next())
        drawn += [ids.next() for _ in range(1_000)]
        if os.getpid() != parent:
            os.write(heard, b",".join(b"%d" % id for id in drawn[-500:]) + b"\n")
            os._exit(0)
    finally:
        if os.getpid() != parent:
            os._exit(1)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not wait(children[0])
    theirs = set(map(int, os.read(told, 65_536).split(b",")))
    assert len(theirs) == 500 and not theirs & set(drawn[-500:])


def test_closing_sends_waiting_callers_home(gate) -> None:
    ids = Segment("orders", gate)
    raised: list[BaseException] = []

    def draw() -> None:
        try:
            ids.next()
        except leafid.LeafidError as error:
            raised.append(error)

    waiting = start_all([threading.Thread(target=draw)])
    assert gate.asked.wait(PATIENCE)
    closing = start_all([threading.Thread(target=ids.close)])
    end_all(waiting)
    assert isinstance(raised[0], leafid.ClosedError)
    gate.gate.set()
    end_all(closing)


class Full:
    """A store without a free worker number."""

    def __init__(self, **when) -> None:
        self.asked, self.when = 0, when

    def acquire(self, ask):
        self.asked += 1
        raise leafid.WorkersExhaustedError("64 numbers are held", **self.when)

    renew = release = acquire


@pytest.mark.parametrize("when", [{"retry_after": 30}, {"until": 25_000}, {}])
def test_the_store_says_when_a_number_is_free(when) -> None:
    clock = Clock()
    clock.freeze()
    if "until" in when:
        when = {"until_ms": clock.wall_ms + when["until"]}
    store = Full(**when)
    ids = Snowflake(store=store, clock=clock)
    late = failing(ids)
    cause = late.__cause__
    assert str(late).endswith("are held")
    assert str(cause) == "64 numbers are held", "the store's words are kept"
    for field, value in when.items():
        assert getattr(cause, field) == value
    if "retry_after" in when:
        # The store is not asked again before that.
        clock.advance(12_001)
        with pytest.raises(leafid.TimedOutError):
            ids.next(timeout=0)
        assert store.asked == 1


@pytest.mark.parametrize("leap", [10_000, -10_000])
def test_a_leap_is_noticed_and_the_window_is_renewed_at_once(server, leap: int) -> None:
    clock = Clock()
    ids = Snowflake(store=server.url, clock=clock)
    ids.next()
    # Asleep for ten seconds, or set back: the monotonic clock stood still, the wall clock did not. The
    # clock stays frozen, so that no renewal becomes due.
    clock.freeze()
    asks = ids.stats().asks
    clock.step_wall(leap)
    assert until(lambda: ids.stats().asks > asks)
    assert ids.stats().asks == asks + 1
