"""A program that is missing here: its tests say so in the words of every suite."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def not_run(what: str, program: str, packages: str) -> NoReturn:
    """Skips the test; under CI, where nothing may be missing, it fails."""
    said = f"NOT RUN  {what}: no `{program}` (apt-get install {packages})"
    if os.environ.get("CI", "") not in ("", "0", "false"):
        pytest.fail(said, pytrace=False)
    pytest.skip(said)
