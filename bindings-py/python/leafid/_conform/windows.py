"""Worker numbers and the windows on them."""

from ..errors import LeafidError
from .checks import WINDOWS, Skipped, check, refused, that
from .subject import LENGTH_MS, Row, Subject, layout_of, token

# How many acquires are tried until a namespace has no number left.
_MOST = 64


def _span(window: Row) -> str:
    return f"ticks {window['start']}..{window['end']} of worker {window['worker']}"


def _all(subject: Subject) -> tuple[list[Row], LeafidError | None]:
    """A window on every number, and how the next one is refused; or as many windows as are tried."""
    windows: list[Row] = []
    while len(windows) < _MOST:
        try:
            windows.append(subject.acquire_now())
        except LeafidError as error:
            that(error.code == "WORKERS_EXHAUSTED", f"it was refused with {error.code}: {error}")
            return windows, error
    return windows, None


@check("acquire-shape", WINDOWS)
def _as_asked(subject: Subject) -> None:
    window = subject.acquire()
    layout = layout_of(window)
    that(0 <= window["worker"] < 1 << layout.worker_bits, f"{_span(window)}: the number is too large")
    that(window["start"] < window["end"], f"{_span(window)} are none")
    length = (window["end"] - window["start"]) * layout.tick_ms
    most = max(LENGTH_MS, 2 * layout.tick_ms)
    that(length <= most, f"{LENGTH_MS} ms were asked for, and {_span(window)} last {length} ms")
    begins = layout.epoch_ms + window["start"] * layout.tick_ms
    late = int(window["now_ms"]) - begins
    that(-1 <= late <= layout.tick_ms, f"the window begins {-late} ms after the store's own time")


@check("acquire-at-once", WINDOWS)
def _at_once(subject: Subject) -> None:
    def ask() -> Row | None:
        try:
            return subject.acquire_now()
        except LeafidError as error:
            that(error.code == "WORKERS_EXHAUSTED", f"it was refused with {error.code}: {error}")
            return None

    that(any(subject.at_once(4, ask)), "of four that ask at once none got a number")


@check("acquire-again", WINDOWS)
def _idempotent(subject: Subject) -> None:
    request, owner = token(), f"conform-{token()}"
    first = subject.acquire(request=request, owner=owner)
    again = subject.acquire_now(request=request, owner=owner)
    same = (first["worker"], first["start"]) == (again["worker"], again["start"])
    that(same, f"the same request got {_span(first)}, then {_span(again)}")


@check("renew-extends", WINDOWS)
def _renewal(subject: Subject) -> None:
    window = subject.acquire()
    subject.pass_ms(50)
    longer = subject.renew(window)
    same = (longer["worker"], longer["start"]) == (window["worker"], window["end"])
    that(same, f"{_span(window)} were renewed by {_span(longer)}")
    that(longer["end"] >= window["end"], f"a renewal took away: {_span(longer)}")
    # What a lost answer promised is given by the next.
    repeated = subject.renew(window)
    that(repeated["end"] >= longer["end"], f"{_span(longer)} were granted, then {_span(repeated)}")


@check("renew-key", WINDOWS)
def _key(subject: Subject) -> None:
    window = subject.acquire()
    refused("LEASE_LOST", lambda: subject.renew(window, key=token()))


@check("release-ends", WINDOWS)
def _release(subject: Subject) -> None:
    window = subject.acquire()
    subject.release(window, unused_from=window["end"])
    refused("LEASE_LOST", lambda: subject.renew(window))


@check("release-key", WINDOWS)
def _foreign_release(subject: Subject) -> None:
    window = subject.acquire()
    try:
        subject.release(window, key=token())
    except LeafidError as error:
        that(error.code == "LEASE_LOST", f"it was refused with {error.code}, not LEASE_LOST: {error}")
    subject.renew(window)


@check("numbers-exhausted", WINDOWS)
def _rests(subject: Subject) -> None:
    windows, spent = _all(subject)
    if spent is None:
        # It has more than can be held here: none of them twice is what can be seen.
        return
    that(windows, "there was no free number at all")
    that(spent.retry_after is not None, "WORKERS_EXHAUSTED does not say when a number is free")
    wait = (spent.retry_after or 0) * 1_000
    that(0 < wait <= LENGTH_MS + 1_000, f"windows last {LENGTH_MS} ms, and one is free in {wait} ms")
    subject.acquire()


@check("release-rests", WINDOWS)
def _given_back(subject: Subject) -> None:
    windows, spent = _all(subject)
    if spent is None or not windows:
        raise Skipped
    back = windows.pop()
    used = back["start"] + 1
    subject.release(back, unused_from=used)
    layout = layout_of(back)
    subject.pass_ms(2 * layout.tick_ms)
    subject.acquire()


@check("sticky-returns", WINDOWS)
def _sticky(subject: Subject) -> None:
    owner = f"conform-{token()}"
    own = subject.acquire(owner=owner, sticky=True)
    subject.release(own)
    try:
        other = subject.acquire_now()
    except LeafidError:
        raise Skipped from None
    that(other["worker"] != own["worker"], f"{_span(other)} went to another owner, though kept")
    again = subject.acquire(owner=owner, sticky=True)
    that(again["worker"] == own["worker"], f"its owner kept {own['worker']}, and got {_span(again)}")
    # So that the next run finds it free.
    subject.release(again)
    subject.acquire(owner=owner)


@check("acquire-layout", WINDOWS)
def _layout(subject: Subject) -> None:
    window = subject.acquire()
    own = layout_of(window)
    fields = ("epoch_ms", "tick_ms", "time_bits", "worker_bits", "sequence_bits")
    other = {**{name: getattr(own, name) for name in fields}, "epoch_ms": own.epoch_ms + 1}
    refused("LAYOUT_MISMATCH", lambda: subject.acquire(layout=other))


@check("acquire-other-store", WINDOWS)
def _another_store(subject: Subject) -> None:
    refused("STORE_CHANGED", lambda: subject.acquire(store=token()))


@check("renew-other-store", WINDOWS)
def _renewed_elsewhere(subject: Subject) -> None:
    window = subject.acquire()
    refused("STORE_CHANGED", lambda: subject.renew(window, store=token()))


@check("acquire-unknown-namespace", WINDOWS)
def _unknown(subject: Subject) -> None:
    ask = {"namespace": f"conform-{token()}", "request": token(), "owner": "conform"}
    try:
        subject.store.acquire(ask)
    except LeafidError as error:
        that(error.code == "NAMESPACE_UNKNOWN", f"it was refused with {error.code}: {error}")
    else:
        # A store in memory creates namespaces by use; nothing else may.
        raise Skipped


@check("acquire-other-process", WINDOWS)
def _again(subject: Subject) -> None:
    window, other = subject.acquire(), subject.again()
    that(subject.renew(window, other)["start"] == window["end"], "its renewal is not granted there")
    subject.acquire(other)


# The last: the number rests for as long as any window lasts.
@check("renew-went-back", WINDOWS)
def _went_back(subject: Subject) -> None:
    window = subject.acquire()
    later = window["end"] + 1_000_000
    refused("STORE_WENT_BACK", lambda: subject.renew(window, have_until=later))
    refused("LEASE_LOST", lambda: subject.renew(window))
