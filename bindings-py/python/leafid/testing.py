"""For tests: a clock that is moved by hand, and a generator without a store, a thread or a clock.

`Clock` freezes, steps back and leaps; pass it as `clock=` to a generator or a `MemoryStore`.
`Generator` is the core's own: every verb takes the time. `codes`, `code`, `code_from_http` and
`sentence` are the error table.
"""

from ._native import Clock, Generator, code, code_from_http, codes, sentence

__all__ = ["Clock", "Generator", "code", "code_from_http", "codes", "sentence"]
