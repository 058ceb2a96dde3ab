"""Waiting in tests: for a condition, never for a length of time, and never for ever."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import leafid

# Far more than anything takes on a busy machine.
PATIENCE = 90.0


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Looks again and again; whether it came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def first_when_made(ids: leafid.Segment) -> int:
    """The first ID of a store and a tag that are made by now: until the next ask the last refusal is
    raised again."""
    drawn: list[int] = []

    def draws() -> bool:
        with contextlib.suppress(leafid.StoreUnknownError, leafid.TagUnknownError):
            drawn.append(ids.next())
        return bool(drawn)

    assert until(draws), "it never asked again"
    return drawn[0]


def run_all(threads: Iterable[threading.Thread]) -> None:
    """Starts them all and waits for their ends."""
    end_all(start_all(threads))


def start_all(threads: Iterable[threading.Thread]) -> list[threading.Thread]:
    """Starts them all; one that does not end keeps no process."""
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
    """How drawing times out once the store has answered, or has let so many asks fail: before
    that, a time-out says only that no answer is there yet."""
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
    """Its words: it is raised at once, and not when the minute is over that the generator has."""
    begun = time.monotonic()
    try:
        raise AssertionError(f"the ID {ids.next(timeout=60)} came")
    except error as refused:
        assert time.monotonic() - begun < 30
        return str(refused)


def refusal(ids: leafid.Segment | leafid.Snowflake, is_permanent: bool) -> Any:
    """Why it gives no ID: raised at once, or what it waits for in vain."""
    if not is_permanent:
        return failing(ids).__cause__
    try:
        raise AssertionError(f"the ID {ids.next()} came")
    except leafid.LeafidError as error:
        return error
