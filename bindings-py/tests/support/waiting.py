"""Waiting in tests: for a condition, never for a fixed time, and never for ever."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import leafid

# Far more than anything needs on a busy machine, in s.
PATIENCE = 90.0


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Whether the condition comes true in time, checked again and again."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def first_when_made(ids: leafid.Segment) -> int:
    """The first ID after store and tag were created: until its next ask, a generator raises the last
    refusal again."""
    drawn: list[int] = []

    def draws() -> bool:
        with contextlib.suppress(leafid.StoreUnknownError, leafid.TagUnknownError):
            drawn.append(ids.next())
        return bool(drawn)

    assert until(draws), "it never asked again"
    return drawn[0]


def run_all(threads: Iterable[threading.Thread]) -> None:
    """Starts all threads and waits for their ends."""
    end_all(start_all(threads))


def start_all(threads: Iterable[threading.Thread]) -> list[threading.Thread]:
    """Starts all threads, as daemons, so that a hanging one does not keep the process alive."""
    threads = list(threads)
    for thread in threads:
        thread.daemon = True
        thread.start()
    return threads


def end_all(threads: Iterable[threading.Thread]) -> None:
    """Waits for their ends."""
    for thread in threads:
        thread.join(PATIENCE * 2)
        assert not thread.is_alive(), f"{thread.name} does not end"


def failing(ids: leafid.Segment | leafid.Snowflake, asks: int = 1) -> leafid.TimedOutError:
    """The time-out of drawing after this many failed asks: before, a time-out has only the cause that
    there is no answer yet."""
    late: list[leafid.TimedOutError] = []

    def answered() -> bool:
        known = ids.stats().failures >= asks
        try:
            raise AssertionError(f"the ID {ids.next(timeout=0.02)} came")
        except leafid.TimedOutError as error:
            late[:] = [error]
            return known

    assert until(answered), f"no ask failed: {late}"
    return late[0]


def refused_at_once(ids: leafid.Segment | leafid.Snowflake, error: type[leafid.LeafidError]) -> str:
    """The message of an error that must be raised at once, not after the time-out of a minute."""
    begun = time.monotonic()
    try:
        raise AssertionError(f"the ID {ids.next(timeout=60)} came")
    except error as refused:
        assert time.monotonic() - begun < 30
        return str(refused)


def refusal(ids: leafid.Segment | leafid.Snowflake, is_permanent: bool) -> Any:
    """The reason for no ID: the error raised at once, or the cause of the time-out."""
    if not is_permanent:
        return failing(ids).__cause__
    try:
        raise AssertionError(f"the ID {ids.next()} came")
    except leafid.LeafidError as error:
        return error
