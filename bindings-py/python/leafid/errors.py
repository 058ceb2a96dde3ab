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
    """When to try again, in ms on the refusing side's clock, if known."""

    retry_after: float | None
    """The least number of seconds to wait, if known."""

    def __init__(
        self, message: str = "", *, until_ms: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.until_ms = until_ms
        self.retry_after = retry_after

    def __init_subclass__(cls) -> None:
        # Classes of this module are named after their codes; a program's subclass keeps its base's code.
        if cls.__module__ == __name__:
            words = "".join(f"_{one}" if one.isupper() else one.upper() for one in cls.__name__)
            cls.code = words[1:].removesuffix("_ERROR")


class RequestInvalidError(LeafidError, ValueError):
    """A request, or an argument, does not have the form that the API describes."""


class TagInvalidError(LeafidError, ValueError):
    """A tag does not match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`."""


class NamespaceInvalidError(LeafidError, ValueError):
    """A namespace does not match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`."""


class StepInvalidError(LeafidError, ValueError):
    """A step is 0 or above the cap."""


class CountInvalidError(LeafidError, ValueError):
    """A count is negative, or more than one call can get."""


class LayoutInvalidError(LeafidError, ValueError):
    """A layout has no time bits, more than 63 bits together, or no tick."""


class WorkerInvalidError(LeafidError, ValueError):
    """A worker number lies outside the layout or the namespace."""


class RangeInvalidError(LeafidError, ValueError):
    """A number lies outside its allowed range."""


class IdInvalidError(LeafidError, ValueError):
    """A text or a number is not a valid ID."""


class UnauthorizedError(LeafidError, PermissionError):
    """The store needs a token or a password, or does not accept the given one."""


class ForbiddenError(LeafidError, PermissionError):
    """The store does not allow this caller to do this."""


class TagUnknownError(LeafidError, LookupError):
    """The tag was never created, or is deleted."""


class NamespaceUnknownError(LeafidError, LookupError):
    """The namespace was never created."""


class NotEnabledError(LeafidError):
    """The store does not offer this."""


class TagExistsError(LeafidError):
    """The tag exists already."""


class LayoutMismatchError(LeafidError, ValueError):
    """The namespace has another layout than the caller asked for."""


class LeaseLostError(LeafidError):
    """Another holder leases this worker number now."""


class StoreChangedError(LeafidError):
    """Another store answers at the same address."""


class StoreWentBackError(LeafidError):
    """The store has lost grants: it was restored from a backup, or is another copy."""


class TagSpentError(LeafidError):
    """The tag has no numbers left, or fewer than were requested at once."""


class TimeOverflowError(LeafidError, OverflowError):
    """The time lies before the layout's epoch or beyond its last tick."""


class QuotaExceededError(LeafidError):
    """The caller's quota is used up."""


class StoreUnavailableError(LeafidError, ConnectionError):
    """The store gave no usable answer."""


class OverloadedError(LeafidError):
    """The store has too much to do at the moment."""


class WorkersExhaustedError(LeafidError):
    """Every worker number of the namespace is held, or was until a moment ago."""


class SegmentDryError(LeafidError):
    """No number is at hand; more have been asked for."""


class WindowSpentError(LeafidError):
    """The window has ended; another has been asked for."""


class SequenceSpentError(LeafidError):
    """Every ID up to `max_ahead` has been issued."""


class ClockBehindError(LeafidError):
    """The clock has gone back behind the IDs that were issued."""


# Raised in an event loop instead of a wait.
_NOT_AT_HAND = (SegmentDryError, WindowSpentError, SequenceSpentError, ClockBehindError)


class TimedOutError(LeafidError, TimeoutError):
    """No ID came within the time-out; `__cause__` is the last failure."""


class StoreRefusedError(LeafidError):
    """The store leases nothing until an operator has repaired it."""


class SchemaMismatchError(LeafidError):
    """The store's tables are not as they should be."""


class StoreUnknownError(LeafidError, LookupError):
    """No store was found: the database or the file does not exist, or has no tables."""


class InternalError(LeafidError):
    """The store has an internal error."""


class ClosedError(LeafidError):
    """The generator or the store was closed."""


class GrantInvalidError(LeafidError):
    """The store's answer is not valid, and was not used."""


class StateLockedError(LeafidError):
    """Another process holds the state file."""


class StateInvalidError(LeafidError):
    """The state file belongs to another machine, or is damaged."""
