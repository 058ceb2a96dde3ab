"""`sqlite:PATH`: a store in a file, for the processes of one machine.

The tables and statements are the server's, the decisions the core's (`leafid.registry`): a
`leafid serve` and any number of Python processes may have the file open at once.
"""

from .store import SqliteStore

__all__ = ["SqliteStore"]
