"""Sticky owners: a worker number that is the same after a restart."""

from __future__ import annotations

import leafid
from leafid import Snowflake
from support.waiting import failing, until


def worker(ids: Snowflake) -> int:
    return leafid.decode(ids.next()).worker


def test_a_restart_has_the_number_of_before(server) -> None:
    def lived(owner: str, sticky: bool) -> int:
        with Snowflake(store=server.url, owner=owner, sticky=sticky) as ids:
            return worker(ids)

    before = lived("pod-0", sticky=True)
    # Others come and go in between, and take what rested longest.
    others = [lived(owner, sticky=False) for owner in ("batch", "pod-1", "pod-1", "pod-1")]
    assert len({before, *others}) == 5
    # A holder's clock may be ahead of the store's by some ms: for so long its number is not free after its end, and
    # the next one borrows.
    assert until(lambda: lived("pod-0", sticky=True) == before)


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
