"""Leases of a tag's numbers."""

from __future__ import annotations

from ..errors import LeafidError
from .checks import SEGMENTS, Skipped, check, refused, that
from .subject import Row, Subject, token


def _span(lease: Row) -> str:
    return f"{lease['start']}..{lease['end']}"


def _apart(leases: list[Row]) -> None:
    ordered = sorted(leases, key=lambda lease: lease["start"])
    for one, other in zip(ordered, ordered[1:]):
        that(one["end"] <= other["start"], f"{_span(one)} and {_span(other)} overlap")


@check("a lease is what was asked for", SEGMENTS)
def _as_asked(subject: Subject) -> None:
    for step in (1, 7):
        lease = subject.lease(step=step)
        count = lease["end"] - lease["start"]
        that(count == step, f"a lease of {step} was asked for, and {_span(lease)} has {count}")
        that(lease["start"] > 0, f"the numbers {_span(lease)} are not above 0")
        that(lease.get("tag") == subject.tag, f"the answer is about tag `{lease.get('tag')}`")
    exact = subject.lease(exactly=11)
    that(exact["end"] - exact["start"] == 11, f"exactly 11 were asked for, got {_span(exact)}")


@check("a lease has what a caller waits for", SEGMENTS)
def _at_least(subject: Subject) -> None:
    usual = subject.lease()
    wanted = usual["end"] - usual["start"] + 1
    if wanted > int(usual["max_step"]):
        raise Skipped
    lease = subject.lease(at_least=wanted)
    that(lease["end"] - lease["start"] >= wanted, f"{wanted} were waited for, got {_span(lease)}")


@check("no number is leased twice", SEGMENTS)
def _once(subject: Subject) -> None:
    leases = [subject.lease(step=step) for step in (3, 1, 10, 2)] + [subject.lease()]
    _apart(leases)
    starts = [lease["start"] for lease in leases]
    that(starts == sorted(starts), f"the line goes back: its leases begin at {starts}")


@check("leases at the same time share no number", SEGMENTS)
def _at_once(subject: Subject) -> None:
    given = subject.at_once(8, lambda: [subject.lease(step=2) for _ in range(12)])
    _apart([lease for leases in given for lease in leases])


@check("a tag has one store", SEGMENTS)
def _one_store(subject: Subject) -> None:
    store, again = subject.lease()["store"], subject.lease()["store"]
    that(store == again, f"its id is `{store}`, then `{again}`")
    that(len(str(store)) == 32, f"its id is `{store}`, not 32 hex digits")


@check("a lease that is meant for another store is refused", SEGMENTS)
def _another_store(subject: Subject) -> None:
    refused("STORE_CHANGED", lambda: subject.lease(store=token()))
    subject.lease(store=subject.lease()["store"])


@check("a store that went back is told by its holders", SEGMENTS)
def _went_back(subject: Subject) -> None:
    end = subject.lease()["end"]
    subject.lease(have_until=end)
    refused("STORE_WENT_BACK", lambda: subject.lease(have_until=end + 10**12))


@check("a tag that is not there is told", SEGMENTS)
def _unknown(subject: Subject) -> None:
    try:
        subject.store.lease_segment({"tag": f"conform-{token()}", "request": token()})
    except LeafidError as error:
        that(error.code == "TAG_UNKNOWN", f"it was refused with {error.code}, not TAG_UNKNOWN")
    else:
        # A store in memory creates tags by use; nothing else may.
        raise Skipped


@check("the store's time does not go back", SEGMENTS)
def _time(subject: Subject) -> None:
    times = [int(subject.lease(step=1)["now_ms"]) for _ in range(5)]
    that(times == sorted(times), f"it said {times}")


@check("what was leased stays leased in another process", SEGMENTS)
def _again(subject: Subject) -> None:
    before, other = subject.lease(), subject.again()
    after = subject.lease(other)
    that(after["store"] == before["store"], f"it is another store: `{after['store']}`")
    that(after["start"] >= before["end"], f"{_span(before)} and {_span(after)} overlap")
    given = subject.at_once(2, lambda: [subject.lease(other), subject.lease()])
    _apart([lease for leases in given for lease in leases])
