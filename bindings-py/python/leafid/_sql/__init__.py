"""Stores over SQL in this process, a file or a database, with the server's tables.

The tables and statements are the server's, the decisions the core's (`leafid.registry`): a
`leafid serve` and any number of Python processes may use one store at once.
"""

import weakref

from .making import Making
from .store import Store
from .stores import SqliteStore, SqlStore

__all__ = ["SqlStore", "SqliteStore", "open_store"]

# One store per URL: generators that name the same database share its connection.
_OPENED: weakref.WeakValueDictionary[str, SqlStore] = weakref.WeakValueDictionary()


def open_store(url: str, create: bool, workers: tuple[int, int] | None = None) -> Store:
    """The store that a URL names, opened by its first call. With `create` it is created if it does not
    exist, with `workers` as the range of worker numbers of its namespace `default`."""
    made = Making(None, workers) if create else None
    store = SqlStore(url)
    # Files are not shared: a relative path depends on the working directory.
    if not url.startswith("sqlite:"):
        store = _OPENED.setdefault(url, store)
    if made is not None:
        # As if constructed with `create`, unless it is open already.
        store._tables.made = store._tables.made or made
    return store
