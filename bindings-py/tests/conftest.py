"""Fixtures and time limits. The suite tests the installed wheel: `leafid` comes from site-packages, and
only this folder is added to the path."""

import faulthandler
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

import leafid

HERE = Path(__file__).resolve().parent
SHOWN = pytest.StashKey[int]()
# The limit of one test, in s: the longest one builds the engine without its guards.
LONGEST_S = 660
# The limit after the tests, in s: databases stop, and leftover threads end.
END_S = 300
# The longest time that an ended process needs to disappear, in s.
GONE_S = 60
# The fixtures that start a database server; tests that use one form the group `engine`.
SERVERS = {"postgres", "mariadb", "database", "killed"}
sys.path.insert(0, str(HERE))

from support import databases, ending, run  # noqa: E402
from support.gate import Gate  # noqa: E402
from support.server import Server  # noqa: E402
from support.waiting import until  # noqa: E402


def pytest_sessionstart() -> None:
    place = Path(leafid.__file__).resolve()
    if HERE.parent in place.parents:
        raise pytest.UsageError(f"`import leafid` finds the sources: {place}")


def pytest_configure(config: pytest.Config) -> None:
    group = "engine: needs a database server, or the driver of one (`requirements-engines.txt`)"
    config.addinivalue_line("markers", group)
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        config.stash[SHOWN] = os.dup(2)
    ending.watch_children()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    for item in items:
        if SERVERS & set(item.fixturenames):
            item.add_marker("engine")


def end_within(seconds: float, config: pytest.Config) -> None:
    """Ends the run after this time, with all processes started, and prints every thread's stack."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=config.stash[SHOWN])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    end_within(LONGEST_S, item.config)
    return (yield)


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    # pytest's own plugin cancels the limit of a failed test, which may hang all the same.
    end_within(END_S, node.config)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    # Includes the interpreter's end, which waits for every non-daemon thread.
    end_within(END_S, session.config)


@pytest.fixture(autouse=True)
def no_process_stays() -> Iterator[None]:
    """Fails a test that leaves processes, and kills these by their ids."""
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
def gate():
    store = Gate()
    yield store
    store.gate.set()


@pytest.fixture(params=["segment", "snowflake"])
def make(request) -> Callable[..., leafid.Segment | leafid.Snowflake]:
    """Makes a generator of each kind, from a store and more arguments."""
    kind, name = {"segment": (leafid.Segment, "orders"), "snowflake": (leafid.Snowflake, "default")}[request.param]
    return partial(kind, name)


@pytest.fixture
def server(tmp_path):
    """A real store on a free loopback port; ended with the test."""
    with Server(tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def unguarded(tmp_path_factory) -> Path:
    """A folder for `PYTHONPATH` with a leafid without guards, which cargo builds once."""
    return run.unguarded(tmp_path_factory.mktemp("unguarded"))


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server of this run."""
    yield from started(databases.Postgres, of_the_run=True)


@pytest.fixture(scope="session")
def mariadb():
    """A MariaDB server of this run."""
    yield from started(databases.Mariadb, of_the_run=True)


@pytest.fixture(params=["postgres", "mariadb"])
def database(request):
    """Each of the database servers."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=[databases.Postgres, databases.Mariadb], ids=["postgres", "mariadb"])
def killed(request):
    """A database server for a test that kills it: with few databases it restarts fast."""
    yield from started(request.param)


class Place(NamedTuple):
    """A place for a store over SQL: its URL, and a function that opens one there."""

    url: str
    open: Callable[..., leafid.SqliteStore | leafid.SqlStore]


ENGINES = [pytest.param(name, marks=pytest.mark.engine) for name in ("postgres", "mariadb")]


@pytest.fixture(params=["sqlite", *ENGINES])
def place(request, tmp_path) -> Place:
    """A file that does not exist yet, and an empty database of each server."""
    if request.param == "sqlite":
        path = tmp_path / "ids.db"
        return Place(f"sqlite:{path}", partial(leafid.SqliteStore, path))
    server = request.getfixturevalue(request.param)
    name = server.make()
    return Place(server.url(name), partial(leafid.SqlStore, server.factory(name)))


def started(kind: type[databases.Database], of_the_run: bool = False):
    with kind() as running:
        if of_the_run:
            ending.keep(running.process.pid)
        yield running
