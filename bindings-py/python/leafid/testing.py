"""For tests: a clock that is moved by hand, a generator without a store, a thread or a clock, and what
a store must do.

`Clock` freezes, steps back and leaps; pass it as `clock=` to a generator or a `MemoryStore`.
`Generator` is the core's own: every verb takes the time. `conform` checks a store of your own. `codes`,
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
