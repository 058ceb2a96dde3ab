"""For tests: a clock that is moved by hand, and a generator without a store, a thread or a clock.

`Clock` freezes, steps back and leaps; pass it as `clock=` to a generator or a `MemoryStore`.
`Generator` is the bare machine: every verb takes the time. `codes` and `code` are the error table.
"""

from ._native import Clock, Generator, code, codes

__all__ = ["Clock", "Generator", "code", "codes"]
