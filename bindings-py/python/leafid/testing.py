"""For tests: a clock to move by hand, a generator without store, thread or clock, and a check of stores.

`Clock` can freeze, step back and leap; pass it as `clock=` to a generator or a `MemoryStore`.
`Generator` is the core's own: every verb takes the time. `conform` checks your own store. `codes`,
`code`, `code_from_http` and `sentence` are the error table.
"""

from ._conform import DoesNotConform, conform
from ._native import Clock, Generator, code, code_from_http, codes, sentence

__all__ = [
    "Clock",
    "DoesNotConform",
    "Generator",
    "code",
    "code_from_http",
    "codes",
    "conform",
    "sentence",
]
