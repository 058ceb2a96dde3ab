"""Sticky owners: a worker number that is the same after a restart."""

from __future__ import annotations

import leafid
from leafid import Snowflake
from support.waiting import failing, until


def worker(ids: Snowflake) -> int:
    return leafid.decode(ids.next()).worker


def has_again(server, kept: int) -> bool:
    """Whether the owner has its number again. A holder's clock may be ahead of the store's by some
    ms: for so long its number is not free after its end, and the next one borrows."""

    def restarted() -> int:
        with Snowflake(store=server.url, owner="pod-0", sticky=True) as ids:
            return worker(ids)

    return until(lambda: restarted() == kept)


def test_a_restart_has_the_number_of_before(server) -> None:
    with Snowflake(store=server.url, owner="pod-0", sticky=True) as ids:
        before = worker(ids)
    # Others come and go in between, and take what rested longest.
    others = set()
    for n in range(5):
        with Snowflake(store=server.url, owner=f"batch-{n}") as ids:
            others.add(worker(ids))
    assert has_again(server, before)
    assert before not in others
    # The control: who is not sticky gets another number each time.
    seen = set()
    for _ in range(3):
        with Snowflake(store=server.url, owner="pod-1") as ids:
            seen.add(worker(ids))
    assert len(seen) == 3


def test_beside_itself_it_borrows_a_number(server) -> None:
    how = {"owner": "pod-0", "sticky": True}
    with Snowflake(store=server.url, **how) as first, Snowflake(store=server.url, **how) as second:
        assert worker(first) != worker(second)
        held = {row["worker"] for row in server.workers() if row["owner"] == "pod-0"}
        assert held == {worker(first), worker(second)}
        kept = worker(first)
    assert has_again(server, kept), "what was borrowed is not kept"


def test_strict_waits_for_its_own(server) -> None:
    how = {"owner": "pod-0", "sticky": True, "strict": True}
    with Snowflake(store=server.url, **how) as first:
        own = worker(first)
        second = Snowflake(store=server.url, **how)
        assert isinstance(failing(second).__cause__, leafid.WorkersExhaustedError)
        # It was told when to come again, and would take the number then.
        second.close()
    # One that asks now has it at once.
    with Snowflake(store=server.url, **how) as third:
        assert worker(third) == own
