"""Errors: one exception class per code, all under `LeafidError`.

Each class is also what a Python program would catch without knowing leafid: a `ValueError` for an
argument that is not valid, a `LookupError` for a name that does not exist, a `TimeoutError`, a
`ConnectionError` for a store that does not answer.
"""


class LeafidError(Exception):
    """The base of every error that leafid raises."""

    code: str = "INTERNAL"
    """The same word in every language and on the wire."""

    until_ms: int | None
    """When to try again, in ms on the clock of whoever refused, if known."""

    retry_after: float | None
    """How many seconds to wait at least, if known."""

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
    """A request, or an argument, is not of the form that the API describes."""

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
    """A count is negative, or more than can be had at once."""

    code = "COUNT_INVALID"


class LayoutInvalidError(LeafidError, ValueError):
    """A layout has no time bits, more than 63 bits together, or no tick."""

    code = "LAYOUT_INVALID"


class WorkerInvalidError(LeafidError, ValueError):
    """A worker number lies outside the layout or the namespace."""

    code = "WORKER_INVALID"


class RangeInvalidError(LeafidError, ValueError):
    """A number lies outside its allowed range."""

    code = "RANGE_INVALID"


class IdInvalidError(LeafidError, ValueError):
    """A text or a number is not a valid ID."""

    code = "ID_INVALID"


class UnauthorizedError(LeafidError, PermissionError):
    """The store wants a token or a password, or does not know the given one."""

    code = "UNAUTHORIZED"


class ForbiddenError(LeafidError, PermissionError):
    """The store does not allow this caller to do this."""

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
    """The tag exists already."""

    code = "TAG_EXISTS"


class LayoutMismatchError(LeafidError, ValueError):
    """The namespace has another layout than the caller asked for."""

    code = "LAYOUT_MISMATCH"


class LeaseLostError(LeafidError):
    """Another holder leases this worker number now."""

    code = "LEASE_LOST"


class StoreChangedError(LeafidError):
    """Another store answers at the same address."""

    code = "STORE_CHANGED"


class StoreWentBackError(LeafidError):
    """The store has lost grants: it was restored from a backup, or is another copy."""

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
    """The store gave no usable answer."""

    code = "STORE_UNAVAILABLE"


class OverloadedError(LeafidError):
    """The store has too much to do at the moment."""

    code = "OVERLOADED"


class WorkersExhaustedError(LeafidError):
    """Every worker number of the namespace is held, or was until a moment ago."""

    code = "WORKERS_EXHAUSTED"


class SegmentDryError(LeafidError):
    """No number is at hand; more have been asked for."""

    code = "SEGMENT_DRY"


class WindowSpentError(LeafidError):
    """The window has ended; another has been asked for."""

    code = "WINDOW_SPENT"


class SequenceSpentError(LeafidError):
    """Every ID up to `max_ahead` has been issued."""

    code = "SEQUENCE_SPENT"


class ClockBehindError(LeafidError):
    """The clock has gone back behind the IDs that were issued."""

    code = "CLOCK_BEHIND"


class TimedOutError(LeafidError, TimeoutError):
    """No ID came within the time-out; `__cause__` is the last failure."""

    code = "TIMED_OUT"


class StoreRefusedError(LeafidError):
    """The store leases nothing until an operator has looked at it."""

    code = "STORE_REFUSED"


class SchemaMismatchError(LeafidError):
    """The store's tables are not as they should be."""

    code = "SCHEMA_MISMATCH"


class StoreUnknownError(LeafidError, LookupError):
    """No store was found: the database or the file does not exist, or has no tables."""

    code = "STORE_UNKNOWN"


class InternalError(LeafidError):
    """The store met an error of its own."""

    code = "INTERNAL"


class ClosedError(LeafidError):
    """The generator or the store was closed."""

    code = "CLOSED"


class GrantInvalidError(LeafidError):
    """The store's answer cannot be right, and was not used."""

    code = "GRANT_INVALID"


class StateLockedError(LeafidError):
    """Another process holds the state file."""

    code = "STATE_LOCKED"


class StateInvalidError(LeafidError):
    """The state file is of another machine, or damaged."""

    code = "STATE_INVALID"
