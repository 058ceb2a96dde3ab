"""Stores of this process, on the tables of the server: a file, or a database.

The tables and statements are the server's, the decisions the core's (`leafid.registry`): a
`leafid serve` and any number of Python processes may use one store at once.
"""

import weakref

from .database.source import hidden
from .database.store import SqlStore
from .file.store import SqliteStore
from .making import Making
from .store import Store

__all__ = ["SqlStore", "SqliteStore", "hidden", "open_store"]

# One per URL: generators that name the same database share its connection.
_OPENED: weakref.WeakValueDictionary[str, SqlStore] = weakref.WeakValueDictionary()


def open_store(url: str, create: bool, workers: tuple[int, int] | None = None) -> Store:
    """The store that a URL names. With `create` it is made if it is not there, and the worker
    numbers of its namespace `default` are then `workers`. It is opened by its first call."""
    made = Making(None, workers) if create else None
    store = SqlStore(url)
    # What a path means depends on the folder that the process is in.
    if not url.startswith("sqlite:"):
        store = _OPENED.setdefault(url, store)
    if made is not None:
        store._make_where_missing(made)
    return store
