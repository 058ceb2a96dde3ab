"""The engine's face, as `python -m mypy.stubtest leafid` checks it against the engine."""

from collections.abc import Buffer
from datetime import datetime
from types import TracebackType
from typing import Any, Protocol, SupportsInt, final

from typing_extensions import Self

from ._values import Parts, Stats

Row = dict[str, Any]
