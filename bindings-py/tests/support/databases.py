"""Real database servers, each in a temporary folder and on a free loopback port. The Rust suites start
them in the same way (`tests/servers`)."""

from __future__ import annotations

import getpass
import importlib
import itertools
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.ending import descendants, kill, runs, stop
from support.places import not_run
from support.port import Port
from support.waiting import until

LIMIT_S = 180
# PostgreSQL does not run as root.
NOBODY = 65534
_NAMES = itertools.count()


class Database:
    """A server with any number of databases. Connections from this machine need no password."""

    name: str
    # The driver's module, and the database that exists on every server.
    module: str
    common: str
    # The scheme of SQLAlchemy's URLs.
    scheme: str
    # The statements that find the sessions of a database, and end one.
    sessions_of: str
    ends: str
    process: subprocess.Popen[bytes] | None = None

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data"
        self.environment = {**os.environ, "TMPDIR": str(folder)}

    def __enter__(self) -> Database:
        self.install()
        self.taken = Port()
        self.port = self.taken.number
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        if self.process is not None:
            self.kill()
        self.taken.give_back()

    def start(self) -> None:
        """Starts the server on its data, and waits until it answers."""
        log = self.folder / "log"
        # Killed with this process, however that ends.
        command = ["setpriv", "--pdeathsig=KILL", *self.as_user(), *map(str, self.command())]
        with log.open("wb") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out, cwd=self.folder, env=self.environment)
        end = time.monotonic() + LIMIT_S
        while not self.answers():
            said = log.read_text(errors="replace")
            assert self.process.poll() is None, f"{self.name} did not start: {said[-2_000:]}"
            assert time.monotonic() < end, f"{self.name} does not answer: {said[-2_000:]}"
            time.sleep(0.02)

    def kill(self) -> None:
        """Kills the server, as a power cut does, and its children: while one of them lives, the next server
        finds the shared memory in use."""
        assert self.process is not None
        if self.process.poll() is None:
            # Stopped, so that it starts no more children during the search.
            stop(self.process.pid)
        children = descendants(self.process.pid)
        self.process.kill()
        kill(children)
        self.process.wait(timeout=LIMIT_S)
        self.process = None
        assert until(lambda: not any(map(runs, children)))

    @property
    def driver(self) -> Any:
        """The driver, imported late, so that tests without a database run without it."""
        return importlib.import_module(self.module)

    def answers(self) -> bool:
        try:
            self.connect(self.common).close()
        except self.driver.Error:
            return False
        return True

    def make(self) -> str:
        """Creates a new database; returns its name."""
        return self.make_again(f"ids{next(_NAMES)}")

    def make_again(self, name: str) -> str:
        """Empties or creates a database of this name: cheaper than many, all of which a restart would recover."""
        self.run(self.common, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
        return name

    def run(self, database: str, *statements: str) -> list[Any]:
        connection = self.connect(database)
        try:
            self.commit_each(connection)
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                return list(cursor.fetchall()) if cursor.description else []
        finally:
            connection.close()

    def table(self, name: str) -> str:
        """The qualified name of one of our tables."""
        return name

    def sqlalchemy(self, database: str) -> str:
        """A database's URL for SQLAlchemy."""
        return f"{self.scheme}://{self.url(database).partition('://')[2]}"

    def sessions(self, database: str) -> list[int]:
        """The other sessions in a database."""
        return [int(row[0]) for row in self.run(self.common, self.sessions_of.format(database))]

    def end(self, session: int) -> None:
        self.run(self.common, self.ends.format(session))

    def factory(self, database: str) -> Callable[[], Any]:
        return lambda: self.connect(database)

    def as_user(self) -> list[str]:
        return []

    def made(self, *command: object) -> None:
        words = [*self.as_user(), *map(str, command)]
        words = ["setpriv", *words] if self.as_user() else words
        subprocess.run(words, check=True, capture_output=True, cwd=self.folder, env=self.environment)


class Postgres(Database):
    name, common, module = "PostgreSQL", "postgres", "psycopg"
    scheme, ends = "postgresql+psycopg", "SELECT pg_terminate_backend({})"
    sessions_of = "SELECT pid FROM pg_stat_activity WHERE datname = '{}'"

    def table(self, name: str) -> str:
        return f"leafid.{name}"

    def program(self, name: str) -> str:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda at: int(at.parent.name))
        program = shutil.which(name, path=str(found[-1]) if found else None) or shutil.which(name)
        return program or not_run("postgresql", name, "postgresql")

    def install(self) -> None:
        if self.as_user():
            os.chown(self.folder, NOBODY, NOBODY)
        how = ["-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
        self.made(self.program("initdb"), "-D", self.data, "-U", "leafid", *how)

    def as_user(self) -> list[str]:
        return [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.getuid() == 0 else []

    def command(self) -> list[object]:
        where = ["-D", self.data, "-k", self.folder, "-h", "127.0.0.1", "-p", self.port]
        return [self.program("postgres"), *where]

    def connect(self, database: str) -> Any:
        at = {"host": "127.0.0.1", "port": self.port, "user": "leafid", "dbname": database}
        return self.driver.connect(**at, connect_timeout=5)

    def commit_each(self, connection: Any) -> None:
        connection.autocommit = True

    def url(self, database: str) -> str:
        return f"postgres://leafid@127.0.0.1:{self.port}/{database}"

    def make_again(self, name: str) -> str:
        if not self.run(self.common, f"SELECT 1 FROM pg_database WHERE datname = '{name}'"):
            self.run(self.common, f"CREATE DATABASE {name}")
        self.run(name, "DROP SCHEMA IF EXISTS leafid CASCADE")
        return name


class Mariadb(Database):
    name, common, module = "MariaDB", "mysql", "pymysql"
    scheme, ends = "mysql+pymysql", "KILL {}"
    sessions_of = "SELECT id FROM information_schema.processlist WHERE db = '{}'"

    def program(self, name: str) -> str:
        program = shutil.which(name) or shutil.which(name, path="/usr/sbin")
        return program or not_run("mariadb", name, "mariadb-server")

    def install(self) -> None:
        # Looked for first, so that a missing program has the same name as in the Rust suites.
        self.program("mariadbd")
        how = ["--no-defaults", "--skip-test-db", "--auth-root-authentication-method=normal"]
        self.made(self.program("mariadb-install-db"), *how, f"--user={getpass.getuser()}", f"--datadir={self.data}")

    def command(self) -> list[object]:
        return [
            self.program("mariadbd"), "--no-defaults", "--bind-address=127.0.0.1",
            "--skip-name-resolve", f"--user={getpass.getuser()}", f"--port={self.port}",
            f"--datadir={self.data}", f"--socket={self.folder / 's.sock'}",
        ]  # fmt: skip

    def connect(self, database: str) -> Any:
        at = {"host": "127.0.0.1", "port": self.port, "user": "root", "database": database}
        return self.driver.connect(**at, connect_timeout=5)

    def commit_each(self, connection: Any) -> None:
        connection.autocommit(True)

    def url(self, database: str) -> str:
        return f"mysql://root@127.0.0.1:{self.port}/{database}"
