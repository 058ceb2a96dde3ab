"""For tests: IDs without a store, a clock to move by hand, and a check of stores.

`isolated` lets all generators of this process draw from memory. `Clock` can freeze, step back and leap; pass it as
`clock=` to a generator or a `MemoryStore`. `conform` checks your own store.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ._conform import DoesNotConform, conform
from ._native import Clock, set_test

__all__ = ["Clock", "DoesNotConform", "conform", "isolated"]

# The names of the contexts that have begun, the innermost last.
_running: list[str] = []


@contextmanager
def isolated(name: str = "test") -> Iterator[str]:
    """A context in which every generator of this process, made before or within, draws from a new store in memory,
    whatever store it names: numbers begin at 1, and no real store is asked. Tags and namespaces are created on first
    use, and state files are left alone. Gives the store's URL, `memory:NAME`.

    What generators hold is given back on the way in and out. Those on a `MemoryStore` of their own keep it. Within
    another one, such as a fixture's, it has a store of its own, and then the other's counts again.
    """
    if name in _running:
        name += f"/{len(_running)}"
    set_test(name, True)
    _running.append(name)
    try:
        yield f"memory:{name}"
    finally:
        _running.remove(name)
        set_test(name, False)
        if _running:
            set_test(_running[-1], True)
