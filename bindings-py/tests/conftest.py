"""The suite runs against the installed wheel: `leafid` comes from site-packages, and only the
support of this folder is put on the path."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

import leafid

HERE = Path(__file__).resolve().parent
SHOWN = pytest.StashKey[int]()
WATCH = pytest.StashKey["Watch"]()
# The longest one builds the engine without its guard.
LONGEST_S = 660
# What is left to do after the tests: databases go, and threads that one of them has left end.
END_S = 300
# What a process that a test has ended may need to be gone.
GONE_S = 60
MAIN = os.getpid()
sys.path.insert(0, str(HERE))

from support import ending  # noqa: E402
from support.ending import Watch  # noqa: E402
from support.server import Server  # noqa: E402
from support.waiting import until  # noqa: E402


def pytest_sessionstart() -> None:
    place = Path(leafid.__file__).resolve()
    if HERE.parent in place.parents:
        raise pytest.UsageError(f"`import leafid` finds the sources: {place}")


def pytest_configure(config: pytest.Config) -> None:
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        config.stash[SHOWN] = os.dup(2)
    config.stash[WATCH] = Watch(config.stash[SHOWN])
    ending.watch_children()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Whatever a test waits for, and its fixtures with it: one that hangs ends the run, and shows where
    every thread is."""
    item.config.stash[WATCH].allow(LONGEST_S, item.nodeid)
    return (yield)


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    # pytest's own plugin stops the clock of a test that has failed, which may hang all the same.
    node.config.stash[WATCH].stand_by()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """A forked child that comes out of its test ends here: what follows is its parent's to do."""
    try:
        return (yield)
    finally:
        if os.getpid() != MAIN:
            os.write(pyfuncitem.config.stash[SHOWN], traceback.format_exc().encode())
            os._exit(1)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    # The end of the interpreter counts: it waits for every thread that is no daemon.
    session.config.stash[WATCH].allow(END_S, "the end of the run")


@pytest.fixture(autouse=True)
def no_process_stays() -> Iterator[None]:
    """A test ends what it starts; what one leaves, as by failing, is killed, by its id."""
    yield
    if not until(lambda: not ending.left(), seconds=GONE_S):
        pids = ending.left()
        told = [ending.shown(pid) for pid in pids]
        ending.kill(pids)
        assert not told, "the test left processes"


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
    yield from started("Postgres", of_the_run=True)


@pytest.fixture(scope="session")
def mariadb():
    """A MariaDB server of this run."""
    yield from started("Mariadb", of_the_run=True)


@pytest.fixture(params=["postgres", "mariadb"])
def database(request):
    """Each of the database servers."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["Postgres", "Mariadb"], ids=str.lower)
def killed(request):
    """One of the servers for a test that kills it: with few databases, it is soon there again."""
    yield from started(request.param)


def started(kind: str, of_the_run: bool = False):
    # Here, since tests without a database do without the drivers as well.
    from support import databases

    # Not below pytest's own folder, which is root's alone: PostgreSQL runs as another user.
    with tempfile.TemporaryDirectory(prefix="leafid-") as folder:
        Path(folder).chmod(0o755)
        with getattr(databases, kind)(Path(folder)) as running:
            if of_the_run:
                ending.keep(running.process.pid)
            yield running
