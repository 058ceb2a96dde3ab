"""Tracks which process has which file open.

SQLite records in a process's memory which locks it holds on a file, once for all connections. A forked
child inherits that record but none of the locks: with its own connection it would write without a
lock, and a parent that closes the file at that moment would delete the log with the child's grants.
"""

import os
from pathlib import Path

from ... import errors
from ..._native import process

# Maps each real path to the process of every connection. Single operations without a lock: a child
# could inherit a locked one.
_OPENED: dict[str, list[int]] = {}


class Opened:
    """The record of a connection to a file, from before it is opened until it is closed."""

    def __init__(self, path: Path) -> None:
        known = _OPENED.setdefault(os.path.realpath(path), [])
        self.by = process()
        if any(other != self.by for other in known):
            raise refused(path)
        known.append(self.by)
        self.known = known

    def is_inherited(self) -> bool:
        """Whether this is a child of the process that opened it."""
        return self.by != process()

    def over(self) -> None:
        """Removes the record of a closed connection."""
        self.known.remove(self.by)


def refused(path: Path) -> errors.LeafidError:
    return errors.StoreRefusedError(
        f"`{path}` was open when this process was forked, and not by `os.fork`, which closes it: "
        "SQLite cannot open it a second time here; draw nothing before the fork"
    )
