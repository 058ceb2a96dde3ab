"""Where connections come from: a function, a SQLAlchemy engine, or a URL."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from ... import errors
from ..file.places import path_of
from .mysql import not_leafs

# The time-outs of connecting and of one exchange, in s.
_CONNECTING, _EXCHANGE = 2, 5
_FORM = "`{}://USER:PASSWORD@HOST:PORT/DATABASE`, with `%40` for an `@` in the password"


@dataclass
class Source:
    """Makes connections; `place` is their target, if known without a connection."""

    connect: Callable[[], Any]
    place: str | None = None
    # Whether Leaf's own table keeps the tags.
    leaf: bool = False
    # Whether other code may have used a connection, or may use it at the same time.
    is_shared: bool = True


def source_of(given: Any, tags: str | None) -> Source | Path:
    """Resolves the argument `connect`; gives the path of a file of SQLite."""
    if tags not in (None, "leaf_alloc"):
        raise _unusable("a store", f"`tags` is `{tags}`", "`tags=\"leaf_alloc\"`, or left out")
    if isinstance(given, str):
        found = _by_url(given)
    elif hasattr(given, "raw_connection") and hasattr(given, "dialect"):
        found = _by_engine(given)
    elif hasattr(given, "drivername") and hasattr(given, "render_as_string"):
        found = _by_engine(importlib.import_module("sqlalchemy").create_engine(given))
    elif hasattr(given, "cursor") or not callable(given):
        raise errors.RequestInvalidError(
            f"`connect` must be a function that makes a new connection each time, a SQLAlchemy engine, or a "
            f"URL, got a `{type(given).__name__}`: a connection that others use may have a transaction "
            "open, and a forked child needs one of its own"
        )
    else:
        found = Source(given)
    if isinstance(found, Source):
        found.leaf = found.leaf or tags is not None
    return found


def _by_engine(engine: Any) -> Source | Path:
    if getattr(engine.dialect, "is_async", False):
        raise _asynchronous(engine.dialect.driver, engine.dialect.name)
    if engine.dialect.name == "sqlite":
        if engine.url.database in (None, "", ":memory:"):
            raise errors.RequestInvalidError(
                "an SQLite database in memory ends with its connection, and so does what was granted: name a "
                "file, or use `memory:` in a test"
            )
        return path_of(engine.url.database)

    def connect() -> Any:
        # A new, unused connection that takes no place in the application's pool.
        pooled = engine.pool.recreate().connect()
        connection = pooled.driver_connection
        pooled.detach()
        return connection

    return Source(connect)


def _by_url(url: str) -> Source | Path:
    if url.startswith("sqlite:"):
        return path_of(url)
    scheme = url.partition(":")[0]
    if "+" in scheme:
        return _by_sqlalchemy(url, scheme)
    if scheme in ("postgres", "postgresql"):
        return _postgres(url)
    if scheme in ("mysql", "mariadb"):
        return _mysql(url)
    raise _unusable("a database", "its scheme is not known", _FORM.format("postgres"))


def _by_sqlalchemy(url: str, scheme: str) -> Source | Path:
    try:
        sqlalchemy = importlib.import_module("sqlalchemy")
    except ImportError:
        raise errors.NotEnabledError(
            f"`{scheme}://…` is a URL of SQLAlchemy, which is not installed: pip install sqlalchemy, or "
            f"write `{scheme.partition('+')[0]}://…`"
        ) from None
    try:
        dialect = sqlalchemy.make_url(url).get_dialect()
        if dialect.is_async:
            raise _asynchronous(scheme.partition("+")[2], dialect.name)
        engine = sqlalchemy.create_engine(url)
    except errors.LeafidError:
        raise
    except ModuleNotFoundError as error:
        raise _missing(f"{scheme}:", str(error.name)) from None
    except Exception as error:
        # Its message may quote a part of the password.
        why = "SQLAlchemy cannot read it"
        if type(error).__name__ == "NoSuchModuleError":
            why = f"SQLAlchemy has no `{scheme}`"
        raise _unusable("a database", why, _FORM.format(scheme)) from None
    return _by_engine(engine)


def hidden(url: str) -> str:
    """A URL for messages, without everything up to the last `@`, which may be a password."""
    scheme, at, rest = url.partition("://")
    return f"{scheme}://…@{rest.rpartition('@')[2]}" if at and "@" in rest else url


def _postgres(url: str) -> Source:
    place, query = _place(url, "PostgreSQL", "postgres", 5432)
    if "tags" in dict(query):
        raise not_leafs("PostgreSQL")
    driver = _driver("postgres:", "'psycopg[binary]'", "psycopg", "psycopg2")
    defaults = {
        "connect_timeout": _CONNECTING,
        "tcp_user_timeout": _EXCHANGE * 1_000,
        "application_name": "leafid",
    }
    given = dict(query)
    try:
        if driver.__name__ == "psycopg":
            importlib.import_module("psycopg.conninfo").conninfo_to_dict(url)
        else:
            importlib.import_module("psycopg2.extensions").parse_dsn(url)
    except Exception:
        # The driver's message may quote a part of the password.
        why = (
            "the driver cannot read it; write `%25` for a `%`, `%20` for a blank, and only options that "
            "the driver knows (not Prisma's, such as `schema`)"
        )
        raise _unusable("PostgreSQL", why, _FORM.format("postgres")) from None
    more = {name: value for name, value in defaults.items() if name not in given}
    return Source(lambda: driver.connect(url, **more), place, is_shared=False)


def _mysql(url: str) -> Source:
    place, query = _place(url, "MySQL", "mysql", 3306)
    leaf = query == [("tags", "leaf_alloc")]
    if query and not leaf:
        name, _ = query[0]
        why = "`tags` may only be followed by `leaf_alloc`, once"
        if name != "tags":
            why = f"it has the unknown parameter `{name}`; give what the driver takes by a function"
        raise _unusable("MySQL", why, _FORM.format("mysql"))
    driver = _driver("mysql:", "PyMySQL", "pymysql", "MySQLdb")
    parts = urlsplit(url)
    how = {
        "host": parts.hostname,
        "port": parts.port or 3306,
        "user": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "database": unquote(parts.path[1:]),
        "charset": "utf8mb4",
        "connect_timeout": _CONNECTING,
        "read_timeout": _EXCHANGE,
        "write_timeout": _EXCHANGE,
    }
    place += "?tags=leaf_alloc" if leaf else ""
    return Source(lambda: driver.connect(**how), place, leaf, is_shared=False)


def _place(url: str, kind: str, scheme: str, port: int) -> tuple[str, list[tuple[str, str]]]:
    """The place that a URL names, without the password, and the URL's options."""
    form = _FORM.format(scheme)
    try:
        parts = urlsplit(url)
        host, at, user = parts.hostname, parts.port or port, parts.username
    except ValueError:
        raise _unusable(kind, "it cannot be read", form) from None
    database = unquote(parts.path[1:])
    for part, why in (
        (user, "it names no user"),
        (host, "it names no host"),
        (parts.netloc.count("@") == 1, "it has more than one `@`"),
        (database, "it names no database"),
    ):
        if not part:
            raise _unusable(kind, why, form)
    host = f"[{host}]" if ":" in host else host
    query = parse_qsl(parts.query, keep_blank_values=True)
    return f"{scheme}://{unquote(user)}@{host}:{at}/{database}", query


def _driver(what: str, packages: str, *names: str) -> Any:
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise _missing(what, packages)


def _asynchronous(driver: str, scheme: str) -> errors.LeafidError:
    address = "sqlite:PATH" if scheme == "sqlite" else f"{scheme}://…"
    return errors.RequestInvalidError(
        f"{driver} is asynchronous, and leafid asks from a thread of its own, beside your event loop: "
        f"name the database as `{address}`, or pass an engine that is not asynchronous"
    )


def _missing(url: str, packages: str) -> errors.LeafidError:
    return errors.NotEnabledError(
        f"`{url}` needs a driver, and none is installed: pip install {packages}"
    )


def _unusable(kind: str, why: str, form: str) -> errors.LeafidError:
    """The error for an unusable URL, which is not quoted, since it may contain a password."""
    return errors.RequestInvalidError(f"the URL of {kind} cannot be used: {why}; it is {form}")
