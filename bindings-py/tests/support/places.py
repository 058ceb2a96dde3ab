"""Where things lie: what the environment says, else where the project builds them."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
VECTORS = Path(os.environ.get("LEAFID_VECTORS", ROOT / "tests/vectors"))
BINARY = Path(os.environ.get("LEAFID_BIN", ROOT / "dist/leafid"))
