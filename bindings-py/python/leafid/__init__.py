"""Unique 64-bit IDs: segments and snowflakes from leased ranges.

    from leafid import Segment
    orders = Segment("orders")          # LEAFID_STORE, or store="http://127.0.0.1:8750"
    order_id = orders.next()            # a 63-bit int, fits BIGINT
"""

import atexit as _atexit

from . import errors as errors
from ._native import (
    HttpStore,
    Layout,
    MemoryStore,
    Segment,
    Snowflake,
    base32,
    decimal,
    decode,
    engine_version,
    parse_base32,
    parse_decimal,
)
from ._native import close_all as _close_all
from ._values import Parts, Stats
from .errors import *  # noqa: F403

# False, and a type checker looks inside all the same: importing `typing` takes longer than all of leafid.
_TYPE_CHECKING = bool()
if _TYPE_CHECKING:
    from ._sql import SqliteStore, SqlStore

__version__ = engine_version()
__all__ = [
    "HttpStore",
    "Layout",
    "MemoryStore",
    "Parts",
    "Segment",
    "Snowflake",
    "SqlStore",
    "SqliteStore",
    "Stats",
    "base32",
    "decimal",
    "decode",
    "errors",
    "parse_base32",
    "parse_decimal",
    # The classes of `errors`: a type checker takes what is not listed here for private.
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

_atexit.register(_close_all)


def __getattr__(name: str) -> object:
    """What is imported when it is used: `sqlite3` takes longer than all of leafid."""
    if name in ("SqlStore", "SqliteStore"):
        from . import _sql

        return getattr(_sql, name)
    raise AttributeError(f"module `leafid` has no `{name}`")
