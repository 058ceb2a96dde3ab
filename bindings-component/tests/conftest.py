"""Makes the helpers beside the tests importable."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def host() -> Any:
    # Imported late: wasmtime handles traps by signals, and pytest would replace its handlers.
    from support.hosts import Host

    return Host()
