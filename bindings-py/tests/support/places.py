"""Where things lie: what the environment says, else where the project builds them."""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]
VECTORS = Path(os.environ.get("LEAFID_VECTORS", ROOT / "tests/vectors"))
BINARY = Path(os.environ.get("LEAFID_BIN", ROOT / "dist/leafid"))
