"""The places of programs, from the environment or the project's build; and reports of missing ones."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]
VECTORS = Path(os.environ.get("LEAFID_VECTORS", ROOT / "tests/vectors"))
BINARY = Path(os.environ.get("LEAFID_BIN", ROOT / "dist/leafid"))


def not_run(what: str, program: str, packages: str) -> NoReturn:
    """Skips a test for lack of a program, with the message of all suites; under CI, where nothing may be missing,
    fails it."""
    said = f"NOT RUN  {what}: no `{program}` (apt-get install {packages})"
    if os.environ.get("CI", "") not in ("", "0", "false"):
        pytest.fail(said, pytrace=False)
    pytest.skip(said)
