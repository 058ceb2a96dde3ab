"""The paths of built files: from the environment, else where the project builds them."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
VECTORS = Path(os.environ.get("LEAFID_VECTORS", ROOT / "tests/vectors"))
DIST = Path(os.environ.get("LEAFID_DIST", ROOT / "dist"))
# Components built for tests only.
MADE = Path(os.environ.get("LEAFID_COMPONENTS", ROOT / "target/component"))
