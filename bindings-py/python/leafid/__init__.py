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
# `X as X` exports a name to type checkers; `errors` exports all its classes.
from ._children import watch as _watch_children
from ._native import HttpStore as HttpStore
from ._native import Layout as Layout
from ._native import MemoryStore as MemoryStore
from ._native import Segment as Segment
from ._native import Snowflake as Snowflake
from ._native import base32 as base32
from ._native import close_all as _close_all
from ._native import decimal as decimal
from ._native import decode as decode
from ._native import engine_version as _engine_version
from ._native import forget_all as forget_all
from ._native import parse_base32 as parse_base32
from ._native import parse_decimal as parse_decimal
from ._native import release_all as release_all
from .errors import *  # noqa: F403

# False, but no constant to type checkers, which read its blocks: `typing` imports slower than all of leafid.
_TYPE_CHECKING = bool()
if _TYPE_CHECKING:
    from ._native import _Generator
    from ._sql import SqliteStore as SqliteStore
    from ._sql import SqlStore as SqlStore
    from ._values import Parts as Parts
    from ._values import Stats as Stats

    Generator = _Generator

# The class under both, for annotations and `isinstance`; written so that type checkers see the one above.
globals()["Generator"] = Segment.__base__.__base__

__version__ = _engine_version()

_atexit.register(_close_all)
_watch_children()


# The modules of names that are imported on first use: `sqlite3` and `collections` take longer than all of leafid.
_LATER = {"SqlStore": "_sql", "SqliteStore": "_sql", "Parts": "_values", "Stats": "_values"}


def __getattr__(name: str) -> object:
    from importlib import import_module
    from sys import modules

    if module := _LATER.get(name):
        return getattr(import_module(f"leafid.{module}"), name)
    # With these, the interpreter adds "Did you mean".
    raise AttributeError(f"module `leafid` has no `{name}`", name=name, obj=modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
