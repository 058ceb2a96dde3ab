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

__version__ = engine_version()
__all__ = [
    "HttpStore",
    "Layout",
    "MemoryStore",
    "Parts",
    "Segment",
    "Snowflake",
    "Stats",
    "base32",
    "decimal",
    "decode",
    "errors",
    "parse_base32",
    "parse_decimal",
]
# This way of writing it is what type checkers read, too: the classes are public.
__all__ += errors.__all__

_atexit.register(_close_all)
