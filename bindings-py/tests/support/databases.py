"""Real database servers, each in a temporary folder and on a free loopback port, started by a program of the Rust
suites (`tests/servers`)."""

from __future__ import annotations

import functools
import importlib
import itertools
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.places import ROOT, not_run

_NAMES = itertools.count()


@functools.cache
def starter() -> Path:
    """The program that starts servers, which cargo builds once."""
    subprocess.run(["cargo", "build", "--quiet", "--locked", "-p", "leafid-servers"], cwd=ROOT, check=True, timeout=600)
    return ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug/leafid-servers"


class Database:
    """A server with any number of databases. Connections from this machine need no password."""

    # Its name for the program, the driver's module, and the database that exists on every server.
    name: str
    module: str
    common: str
    # The schemes of its URLs, and of SQLAlchemy's; the user in them, and their name for a database in the driver.
    scheme: str
    sqlalchemys: str
    user: str
    database: str
    # The statements that find the sessions of a database, and end one.
    sessions_of: str
    ends: str

    def __enter__(self) -> Database:
        # It ends with its input: with this process, however that ends.
        self.process = subprocess.Popen([starter(), self.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        said = self._line().split()
        if said[:1] == ["missing"]:
            not_run(self.name, said[1], said[2])
        (self.port,) = map(int, said)
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.communicate(timeout=180)

    def kill(self) -> None:
        """Kills the server, as a power cut does."""
        self._tell("kill")

    def start(self) -> None:
        """Starts the killed server on its data and its port, and waits until it answers."""
        self._tell("start")

    def _tell(self, word: str) -> None:
        assert self.process.stdin is not None
        print(word, file=self.process.stdin, flush=True)
        assert self._line() == "done\n"

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    @property
    def driver(self) -> Any:
        """The driver, imported late, so that tests without a database run without it."""
        return importlib.import_module(self.module)

    def connect(self, database: str, **how: object) -> Any:
        at = {"host": "127.0.0.1", "port": self.port, "user": self.user, self.database: database}
        return self.driver.connect(**at, **how, connect_timeout=5)

    def make(self) -> str:
        """Creates a new database; returns its name."""
        return self.make_again(f"ids{next(_NAMES)}")

    def make_again(self, name: str) -> str:
        """Empties or creates a database of this name: cheaper than many, all of which a restart would recover."""
        self.run(self.common, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
        return name

    def run(self, database: str, *statements: str) -> list[Any]:
        connection = self.connect(database, autocommit=True)
        try:
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                return list(cursor.fetchall()) if cursor.description else []
        finally:
            connection.close()

    def table(self, name: str) -> str:
        """The qualified name of one of our tables."""
        return name

    def url(self, database: str, scheme: str | None = None) -> str:
        return f"{scheme or self.scheme}://{self.user}@127.0.0.1:{self.port}/{database}"

    def sqlalchemy(self, database: str) -> str:
        """A database's URL for SQLAlchemy."""
        return self.url(database, self.sqlalchemys)

    def sessions(self, database: str) -> list[int]:
        """The other sessions in a database."""
        return [int(row[0]) for row in self.run(self.common, self.sessions_of.format(database))]

    def end(self, session: int) -> None:
        self.run(self.common, self.ends.format(session))

    def factory(self, database: str) -> Callable[[], Any]:
        return lambda: self.connect(database)


class Postgres(Database):
    name, module, common, user, database = "postgres", "psycopg", "postgres", "leafid", "dbname"
    scheme, sqlalchemys = "postgres", "postgresql+psycopg"
    sessions_of = "SELECT pid FROM pg_stat_activity WHERE datname = '{}'"
    ends = "SELECT pg_terminate_backend({})"

    def table(self, name: str) -> str:
        return f"leafid.{name}"

    def make_again(self, name: str) -> str:
        if not self.run(self.common, f"SELECT 1 FROM pg_database WHERE datname = '{name}'"):
            self.run(self.common, f"CREATE DATABASE {name}")
        self.run(name, "DROP SCHEMA IF EXISTS leafid CASCADE")
        return name


class Mariadb(Database):
    name, module, common, user, database = "mariadb", "pymysql", "mysql", "root", "database"
    scheme, sqlalchemys = "mysql", "mysql+pymysql"
    sessions_of = "SELECT id FROM information_schema.processlist WHERE db = '{}'"
    ends = "KILL {}"
