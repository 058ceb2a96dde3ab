"""Error messages about databases: what happened, then what to do. A place is the value of `--store`,
without a password."""

from ... import errors

_DATABASES = "PostgreSQL, MySQL or MariaDB"


def text(value: object) -> str:
    """The text of a value that a driver may give as bytes."""
    return bytes(value).decode() if isinstance(value, (bytes, bytearray, memoryview)) else str(value)


def said(error: Exception) -> str:
    """An error's message on one line; those of servers and drivers contain no password."""
    return " ".join(str(error).split()) or type(error).__name__


def no_driver(what: str) -> errors.LeafidError:
    return errors.RequestInvalidError(
        f"{what} is not one that is known here: use {_DATABASES}, with psycopg, PyMySQL or "
        "mysqlclient, or SQLite by `sqlite:PATH`"
    )


def no_connection(given: object) -> errors.LeafidError:
    return errors.RequestInvalidError(
        f"`connect` gave a `{type(given).__name__}`, which is not a DB-API 2 connection; give a "
        "function that connects, such as `lambda: psycopg.connect(\"dbname=app\")`"
    )


def not_a_function(given: object) -> errors.LeafidError:
    return errors.RequestInvalidError(
        f"`connect` must be a function that makes a new connection each time, a SQLAlchemy engine, or a "
        f"URL, got a `{type(given).__name__}`: a connection that others use may have a transaction "
        "open, and a forked child needs one of its own"
    )


def asynchronous(driver: str, scheme: str) -> errors.LeafidError:
    address = "sqlite:PATH" if scheme == "sqlite" else f"{scheme}://…"
    return errors.RequestInvalidError(
        f"{driver} is asynchronous, and leafid asks from a thread of its own, beside your event loop: "
        f"name the database as `{address}`, or pass an engine that is not asynchronous"
    )


def in_memory() -> errors.LeafidError:
    return errors.RequestInvalidError(
        "an SQLite database in memory ends with its connection, and so does what was granted: name a "
        "file, or use `memory:` in a test"
    )


def in_transaction() -> errors.LeafidError:
    return errors.StoreRefusedError(
        "the connection is inside a transaction, whose end would undo what is granted here, and it "
        "would be granted again; have `connect` make a new connection each time, which nobody else uses"
    )


def shadowed(table: str) -> errors.LeafidError:
    return errors.StoreRefusedError(
        f"the connection has a temporary table `{table}`, which would be written instead of the "
        "store's, and forgotten: DROP TEMPORARY TABLE it, or have `connect` make a new connection "
        "each time, which nobody else uses"
    )


def converted(driver: str, sql: str, given: object) -> errors.LeafidError:
    return errors.StoreRefusedError(
        f"the connection of {driver} gives {given!r} for `{sql}`: it has converters of its own; have "
        "`connect` make one without"
    )


def missing(url: str, packages: str) -> errors.LeafidError:
    return errors.NotEnabledError(
        f"`{url}` needs a driver, and none is installed: pip install {packages}"
    )


def no_sqlalchemy(scheme: str) -> errors.LeafidError:
    return errors.NotEnabledError(
        f"`{scheme}://…` is a URL of SQLAlchemy, which is not installed: pip install sqlalchemy, or "
        f"write `{scheme.partition('+')[0]}://…`"
    )


def unusable(kind: str, why: str, form: str) -> errors.LeafidError:
    """The error for an unusable URL, which is not quoted, since it may contain a password."""
    return errors.RequestInvalidError(f"the URL of {kind} cannot be used: {why}; it is {form}")


def not_leafs(said: str) -> errors.LeafidError:
    return errors.RequestInvalidError(
        f"`tags=leaf_alloc` is for Leaf's own table in MySQL or MariaDB, and this is {said}; leave it "
        "out"
    )


def foreign(place: str, table: str) -> errors.LeafidError:
    return errors.SchemaMismatchError(
        f"{place} is not a leafid store: its table `{table}` is another program's; give leafid a "
        "database of its own"
    )


def another(place: str, was: str, found: str) -> errors.LeafidError:
    return errors.StoreChangedError(
        f"{place} was store {was} when it was opened, and is store {found} now; nothing is granted: "
        "find out which of the two was meant"
    )


def unsafe(place: str, setting: str, loses: str, cure: str) -> errors.LeafidError:
    return errors.StoreRefusedError(
        f"{place} has {setting}, and {loses}; {cure}, or, if that loss is to be accepted, pass "
        "`allow_unsafe_settings=True`"
    )


_RIGHTS = "; give the user of that name the rights on the tables that docs/STORES.md names"
# The error and the advice for each kind of failure that waiting cannot cure.
_KINDS: dict[str, tuple[type[errors.LeafidError], str]] = {
    "login": (errors.UnauthorizedError, "; check the user and the password of its URL"),
    "denied": (errors.ForbiddenError, _RIGHTS),
    "nowhere": (
        errors.StoreUnknownError,
        "; if the name is right, make it first (CREATE DATABASE …): see docs/STORES.md",
    ),
    "gone": (
        errors.StoreUnknownError,
        "; its tables are gone: find out who removed them, and see docs/OPERATIONS.md before a new "
        "store is made",
    ),
}
_PASSING = (errors.StoreUnavailableError, "")


def unreachable(place: str, kind: str, detail: str) -> errors.LeafidError:
    error, cure = _KINDS.get(kind, _PASSING)
    what = "cannot be reached" if error is errors.StoreUnavailableError else "cannot be used"
    return error(f"{place} {what}: {detail}{cure}")


def failed(place: str, detail: str, kind: str = "lost") -> errors.LeafidError:
    error, cure = _KINDS.get(kind, _PASSING)
    return error(f"{place} failed: {detail}{cure}")


def cannot_make(place: str, kind: str, detail: str) -> errors.LeafidError:
    error, cure = _KINDS.get(kind, _PASSING)
    return error(
        f"the tables of a store cannot be made in {place}: {detail}{cure}; nothing was made, or only "
        "empty tables that the next try uses"
    )


def overloaded(place: str) -> errors.LeafidError:
    return errors.OverloadedError(
        f"others wrote the same rows of {place} first, again and again: the store has more to do than "
        "it can; ask again"
    )
