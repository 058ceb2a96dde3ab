"""Which process has which file open.

SQLite notes in a process's memory which locks it holds on a file, once for all connections. A child
inherits that note and none of the locks: with a connection of its own it would write without one,
and a parent that closes the file at that moment would take the child's grants away with the log.
"""

import os
from pathlib import Path

from ... import errors
from ..._native import process

# Of each real path, the process of every connection. One operation at a time, and no lock: a child
# would inherit it as it stands.
_OPENED: dict[str, list[int]] = {}


class Opened:
    """A connection to a file, from before it is opened until it is closed."""

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
        """It was closed."""
        self.known.remove(self.by)


def refused(path: Path) -> errors.LeafidError:
    return errors.StoreRefusedError(
        f"`{path}` was open when this process was forked, and not by `os.fork`, which closes it: "
        "SQLite cannot open it a second time here; draw nothing before the fork"
    )
