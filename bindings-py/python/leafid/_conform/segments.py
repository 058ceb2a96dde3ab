"""Leases of a tag's numbers."""

from ..errors import LeafidError
from .checks import SEGMENTS, Skipped, check, refused, that
from .subject import Row, Subject, token


def _span(lease: Row) -> str:
    return f"{lease['start']}..{lease['end']}"


@check("lease-shape", SEGMENTS)
def _shape(subject: Subject) -> None:
    lease, again = subject.lease(), subject.lease()
    that(lease.get("tag") == subject.tag, f"the answer is about tag `{lease.get('tag')}`")
    that(0 < lease["start"] < lease["end"], f"the numbers {_span(lease)} are none above 0")
    store = str(lease["store"])
    that(len(store) == 32, f"the store's id is `{store}`, not 32 hex digits")
    that(again["store"] == store, f"the store's id is `{store}`, then `{again['store']}`")
    sizes = int(lease["step"]), int(lease["max_step"])
    that(0 < sizes[0] <= sizes[1], f"`step` is {sizes[0]}, and `max_step` {sizes[1]}")


@check("lease-step", SEGMENTS)
def _step(subject: Subject) -> None:
    for step in (1, 7):
        lease = subject.lease(step=step)
        count = lease["end"] - lease["start"]
        that(count == step, f"a lease of {step} was asked for, and {_span(lease)} has {count}")


@check("lease-exactly", SEGMENTS)
def _exactly(subject: Subject) -> None:
    exact = subject.lease(exactly=11)
    that(exact["end"] - exact["start"] == 11, f"exactly 11 were asked for, got {_span(exact)}")
    most = int(exact["max_step"])
    if most < 2**31 - 1:
        refused("COUNT_INVALID", lambda: subject.lease(exactly=most + 1))


@check("lease-at-least", SEGMENTS)
def _at_least(subject: Subject) -> None:
    usual = subject.lease()
    wanted = usual["end"] - usual["start"] + 1
    if wanted > int(usual["max_step"]):
        raise Skipped
    lease = subject.lease(at_least=wanted)
    that(lease["end"] - lease["start"] >= wanted, f"{wanted} were waited for, got {_span(lease)}")


@check("lease-follows", SEGMENTS)
def _once(subject: Subject) -> None:
    leases = [subject.lease(step=step) for step in (3, 1, 10, 2)] + [subject.lease()]
    starts = [lease["start"] for lease in leases]
    that(starts == sorted(starts), f"the line goes back: its leases begin at {starts}")


@check("lease-at-once", SEGMENTS)
def _at_once(subject: Subject) -> None:
    subject.at_once(8, lambda: [subject.lease(step=2) for _ in range(12)])


@check("lease-other-store", SEGMENTS)
def _another_store(subject: Subject) -> None:
    refused("STORE_CHANGED", lambda: subject.lease(store=token()))
    subject.lease(store=subject.lease()["store"])


@check("lease-unknown-tag", SEGMENTS)
def _unknown(subject: Subject) -> None:
    try:
        subject.store.lease_segment({"tag": f"conform-{token()}", "request": token()})
    except LeafidError as error:
        that(error.code == "TAG_UNKNOWN", f"it was refused with {error.code}, not TAG_UNKNOWN")
    else:
        # A store in memory creates tags by use; nothing else may.
        raise Skipped


@check("lease-other-process", SEGMENTS)
def _again(subject: Subject) -> None:
    before, other = subject.lease(), subject.again()
    after = subject.lease(other)
    that(after["store"] == before["store"], f"it is another store: `{after['store']}`")
    that(after["start"] >= before["end"], f"{_span(before)} were leased, then {_span(after)}")
    subject.at_once(2, lambda: [subject.lease(other), subject.lease()])


# The last: nothing more is leased from the tag.
@check("lease-went-back", SEGMENTS)
def _went_back(subject: Subject) -> None:
    end = subject.lease(have_until=subject.lease()["end"])["end"]
    refused("STORE_WENT_BACK", lambda: subject.lease(have_until=end + 10**12))
    refused("STORE_REFUSED", lambda: subject.lease())
    # So that the next run finds it in order.
    if (advance := getattr(subject.store, "advance_tag", None)) is not None:
        advance(subject.tag, end)
