"""A forked child of a test, and its result."""

import os
import traceback
from collections.abc import Callable

import leafid
from support.forked import wait


def in_child(
    act: Callable[[], object],
    between: Callable[[], object] = lambda: None,
    fork: Callable[[], int] | None = None,
) -> str:
    """The result of `act` in a forked child, or the code of its error. `between` is called in the parent
    after the fork and before `act`."""
    begin, begun = os.pipe()
    heard, told = os.pipe()
    pid = (fork or os.fork)()
    if pid == 0:
        try:
            os.read(begin, 1)
            try:
                said = str(act())
            except leafid.LeafidError as error:
                said = error.code
            os.write(told, said.encode())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    try:
        between()
    finally:
        os.write(begun, b".")
        for end in (begin, begun, told):
            os.close(end)
    with os.fdopen(heard) as text:
        said = text.read()
    assert not wait(pid), "the child failed"
    return said
