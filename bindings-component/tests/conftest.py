"""Makes the helpers beside the tests importable, the example's host and the vectors' player."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path += [str(HERE.parents[1] / each) for each in ("examples/component-python", "tests/vectors")]


@pytest.fixture
def host() -> Any:
    # Imported late: wasmtime handles traps by signals, and pytest would replace its handlers.
    from support.hosts import Host

    return Host()
