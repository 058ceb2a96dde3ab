"""For tests: a clock to move by hand, and a check of stores.

`Clock` can freeze, step back and leap; pass it as `clock=` to a generator or a `MemoryStore`.
`conform` checks your own store.
"""

from ._conform import DoesNotConform, conform
from ._native import Clock

__all__ = ["Clock", "DoesNotConform", "conform"]
