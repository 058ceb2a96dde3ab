"""The suite runs against the installed wheel: `leafid` comes from site-packages, and only the
support of this folder is put on the path."""

from __future__ import annotations

import faulthandler
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import leafid

HERE = Path(__file__).resolve().parent
SHOWN = pytest.StashKey[int]()
# The longest one builds the engine without its guard.
LONGEST_S = 660
sys.path.insert(0, str(HERE))

from support.server import Server  # noqa: E402


def pytest_sessionstart() -> None:
    place = Path(leafid.__file__).resolve()
    if HERE.parent in place.parents:
        raise pytest.UsageError(f"`import leafid` finds the sources: {place}")


def pytest_configure(config: pytest.Config) -> None:
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        config.stash[SHOWN] = os.dup(2)


@pytest.fixture(autouse=True)
def a_test_has_an_end(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever it waits for: one that hangs ends the run, and shows where every thread is."""
    shown = request.config.stash[SHOWN]
    faulthandler.dump_traceback_later(LONGEST_S, exit=True, file=shown)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def memory() -> leafid.MemoryStore:
    return leafid.MemoryStore()


@pytest.fixture
def server(tmp_path):
    """A real store on a free loopback port; ended, by its id, with the test."""
    with Server(tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server of this run."""
    yield from started("Postgres")


@pytest.fixture(scope="session")
def mariadb():
    """A MariaDB server of this run."""
    yield from started("Mariadb")


@pytest.fixture(params=["postgres", "mariadb"])
def database(request):
    """Each of the database servers."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["Postgres", "Mariadb"], ids=str.lower)
def killed(request):
    """One of the servers for a test that kills it: with few databases, it is soon there again."""
    yield from started(request.param)


def started(kind: str):
    # Here, since tests without a database do without the drivers as well.
    from support import databases

    # Not below pytest's own folder, which is root's alone: PostgreSQL runs as another user.
    with tempfile.TemporaryDirectory(prefix="leafid-") as folder:
        Path(folder).chmod(0o755)
        with getattr(databases, kind)(Path(folder)) as running:
            yield running
