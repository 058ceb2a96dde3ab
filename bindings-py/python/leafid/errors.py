"""Errors: one exception class per code, all under `LeafidError`.

A class also is what a Python program would catch without knowing leafid: a `ValueError` where a
call is to be mended, a `LookupError` where a name is not known, a `TimeoutError`, a
`ConnectionError` where the store is away.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "LeafidError",
    "RequestInvalidError",
    "TagInvalidError",
    "NamespaceInvalidError",
    "StepInvalidError",
    "CountInvalidError",
    "LayoutInvalidError",
    "WorkerInvalidError",
    "RangeInvalidError",
    "IdInvalidError",
    "UnauthorizedError",
    "ForbiddenError",
    "TagUnknownError",
    "NamespaceUnknownError",
    "NotEnabledError",
    "TagExistsError",
    "LayoutMismatchError",
    "LeaseLostError",
    "StoreChangedError",
    "StoreWentBackError",
    "TagSpentError",
    "TimeOverflowError",
    "QuotaExceededError",
    "StoreUnavailableError",
    "OverloadedError",
    "WorkersExhaustedError",
    "SegmentDryError",
    "WindowSpentError",
    "SequenceSpentError",
    "ClockBehindError",
    "TimedOutError",
    "StoreRefusedError",
    "SchemaMismatchError",
    "InternalError",
    "ClosedError",
    "GrantInvalidError",
    "StateLockedError",
    "StateInvalidError",
]


class LeafidError(Exception):
    """What every error of leafid is."""

    code: ClassVar[str] = "INTERNAL"
    """The word for it, the same in every language and on the wire."""

    until_ms: int | None
    """When to come again, on the clock of whoever refused, if that is known."""

    retry_after: float | None
    """How many seconds to wait at least, if that is known."""

    def __init__(
        self,
        message: str = "",
        *,
        until_ms: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.until_ms = until_ms
        self.retry_after = retry_after


class RequestInvalidError(LeafidError, ValueError):
    """The request is not of the form that the API describes."""

    code = "REQUEST_INVALID"


class TagInvalidError(LeafidError, ValueError):
    """A tag does not match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`."""

    code = "TAG_INVALID"


class NamespaceInvalidError(LeafidError, ValueError):
    """A namespace does not match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`."""

    code = "NAMESPACE_INVALID"


class StepInvalidError(LeafidError, ValueError):
    """A step is 0 or above the cap."""

    code = "STEP_INVALID"


class CountInvalidError(LeafidError, ValueError):
    """A count is negative or above what can be given in one go."""

    code = "COUNT_INVALID"


class LayoutInvalidError(LeafidError, ValueError):
    """A layout has no time bits, more than 63 bits together, or no tick."""

    code = "LAYOUT_INVALID"


class WorkerInvalidError(LeafidError, ValueError):
    """A worker number lies outside the layout or the namespace."""

    code = "WORKER_INVALID"


class RangeInvalidError(LeafidError, ValueError):
    """A range or a number lies outside what it may be."""

    code = "RANGE_INVALID"


class IdInvalidError(LeafidError, ValueError):
    """A text or a number is not an ID of this form."""

    code = "ID_INVALID"


class UnauthorizedError(LeafidError, PermissionError):
    """The store wants a token, or does not know this one."""

    code = "UNAUTHORIZED"


class ForbiddenError(LeafidError, PermissionError):
    """The store knows the caller and does not allow this."""

    code = "FORBIDDEN"


class TagUnknownError(LeafidError, LookupError):
    """The tag was never created, or is deleted."""

    code = "TAG_UNKNOWN"


class NamespaceUnknownError(LeafidError, LookupError):
    """The namespace was never created."""

    code = "NAMESPACE_UNKNOWN"


class NotEnabledError(LeafidError):
    """The store does not offer this."""

    code = "NOT_ENABLED"


class TagExistsError(LeafidError):
    """The tag is there already."""

    code = "TAG_EXISTS"


class LayoutMismatchError(LeafidError, ValueError):
    """The namespace has another layout than the caller."""

    code = "LAYOUT_MISMATCH"


class LeaseLostError(LeafidError):
    """The lease of a window belongs to somebody else now."""

    code = "LEASE_LOST"


class StoreChangedError(LeafidError):
    """Another store answers behind the same name."""

    code = "STORE_CHANGED"


class StoreWentBackError(LeafidError):
    """The store no longer knows what it granted."""

    code = "STORE_WENT_BACK"


class TagSpentError(LeafidError):
    """The tag has no numbers left, or fewer than were wanted in one go."""

    code = "TAG_SPENT"


class TimeOverflowError(LeafidError, OverflowError):
    """The time lies before the layout's epoch or beyond its last tick."""

    code = "TIME_OVERFLOW"


class QuotaExceededError(LeafidError):
    """The caller's quota is used up."""

    code = "QUOTA_EXCEEDED"


class StoreUnavailableError(LeafidError, ConnectionError):
    """No answer that can be used came from the store."""

    code = "STORE_UNAVAILABLE"


class OverloadedError(LeafidError):
    """The store has too much to do."""

    code = "OVERLOADED"


class WorkersExhaustedError(LeafidError):
    """Every worker number is held or still rests."""

    code = "WORKERS_EXHAUSTED"


class SegmentDryError(LeafidError):
    """No number is at hand; more have been asked for."""

    code = "SEGMENT_DRY"


class WindowSpentError(LeafidError):
    """The window in hand is over; another has been asked for."""

    code = "WINDOW_SPENT"


class SequenceSpentError(LeafidError):
    """Every ID up to `max_ahead` is handed out."""

    code = "SEQUENCE_SPENT"


class ClockBehindError(LeafidError):
    """The clock stands behind the IDs that were handed out."""

    code = "CLOCK_BEHIND"


class TimedOutError(LeafidError, TimeoutError):
    """The caller's time-out passed; `__cause__` is the last failure."""

    code = "TIMED_OUT"


class StoreRefusedError(LeafidError):
    """The store refuses to lease until an operator has looked."""

    code = "STORE_REFUSED"


class SchemaMismatchError(LeafidError):
    """The store's tables are not as they should be."""

    code = "SCHEMA_MISMATCH"


class InternalError(LeafidError):
    """The store failed in a way that it has no word for."""

    code = "INTERNAL"


class ClosedError(LeafidError):
    """The generator or the store was closed."""

    code = "CLOSED"


class GrantInvalidError(LeafidError):
    """An answer of the store cannot be right, and was not used."""

    code = "GRANT_INVALID"


class StateLockedError(LeafidError):
    """Another process holds the state file."""

    code = "STATE_LOCKED"


class StateInvalidError(LeafidError):
    """The state file is of another machine, or damaged."""

    code = "STATE_INVALID"
