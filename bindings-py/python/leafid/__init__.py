"""Unique 64-bit IDs: segments and snowflakes from leased ranges.

    from leafid import Segment
    orders = Segment("orders")          # LEAFID_STORE, or store="http://127.0.0.1:8750"
    order_id = orders.next()            # a 63-bit int, fits BIGINT
"""

import atexit as _atexit

from . import errors as errors

try:
    from . import _native as _native
except ImportError as _error:
    if "subinterpreter" not in str(_error):
        raise
    raise ImportError(
        "leafid runs in the main interpreter of a process only, and this is a subinterpreter: under "
        "mod_wsgi set `WSGIApplicationGroup %{GLOBAL}`; instead of an `InterpreterPoolExecutor` use "
        "a `ProcessPoolExecutor`, or draw in the main interpreter and pass the IDs on"
    ) from _error
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
from ._children import watch as _watch_children
from ._native import close_all as _close_all
from ._native import forget_all, release_all
from .errors import *  # noqa: F403

# False, but no constant to type checkers, which read its blocks: `typing` imports slower than all of leafid.
_TYPE_CHECKING = bool()
if _TYPE_CHECKING:
    from ._sql import SqliteStore, SqlStore
    from ._values import Parts, Stats

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
    "forget_all",
    "parse_base32",
    "parse_decimal",
    "release_all",
    # The classes of `errors`: type checkers treat names that are not listed here as private.
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
    "StoreUnknownError",
    "InternalError",
    "ClosedError",
    "GrantInvalidError",
    "StateLockedError",
    "StateInvalidError",
]

_atexit.register(_close_all)
_watch_children()


def __getattr__(name: str) -> object:
    """Imports names on first use: `sqlite3` and `collections` take longer than all of leafid."""
    if name in ("SqlStore", "SqliteStore"):
        from . import _sql

        return getattr(_sql, name)
    if name in ("Parts", "Stats"):
        from . import _values

        return getattr(_values, name)
    raise AttributeError(f"module `leafid` has no `{name}`")
