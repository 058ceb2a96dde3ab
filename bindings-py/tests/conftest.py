"""The suite runs against the installed wheel: `leafid` comes from site-packages, and only the
support of this folder is put on the path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import leafid

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from support.server import Server  # noqa: E402


def pytest_sessionstart() -> None:
    place = Path(leafid.__file__).resolve()
    if HERE.parent in place.parents:
        raise pytest.UsageError(f"`import leafid` finds the sources: {place}")


@pytest.fixture
def memory() -> leafid.MemoryStore:
    return leafid.MemoryStore()


@pytest.fixture
def server(tmp_path):
    """A real store on a free loopback port; ended, by its id, with the test."""
    with Server(tmp_path) as running:
        yield running
