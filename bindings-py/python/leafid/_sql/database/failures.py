"""A database's failures: their kinds, and the error for each."""

from ... import errors
from ..._native import mysql_kind, postgres_kind


class Broken(Exception):
    """A database's failure. `kind` is `lost` (the connection cannot be used again), `race` (another
    transaction was faster, and this one is rolled back), `stale` (likewise, found by a write's condition),
    `locked` or `refused`; or one that waiting cannot cure: `login` (unknown user or wrong password), `denied`
    (a missing right), `nowhere` (no such database) or `gone` (no such table)."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind, self.detail = kind, detail


# The error and the advice for each kind of failure that waiting cannot cure.
_HOPELESS: dict[str, tuple[type[errors.LeafidError], str]] = {
    "login": (errors.UnauthorizedError, "; check the user and the password of its URL"),
    "denied": (
        errors.ForbiddenError,
        "; give the user of that name the rights on the tables that docs/STORES.md names",
    ),
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
# PostgreSQL's drivers keep no SQLSTATE of a refused connection: only the message tells, if it is
# English; otherwise the failure counts as temporary.
_WORDS = {
    "password authentication failed": "login",
    "no password supplied": "login",
    "no pg_hba.conf entry": "login",
    "is not permitted to log in": "login",
    "permission denied for database": "denied",
}


def unreachable(place: str, broken: Broken) -> errors.LeafidError:
    """The error for a failure before the first request. A place is the value of `--store`, without a
    password."""
    what = "cannot be used" if broken.kind in _HOPELESS else "cannot be reached"
    return failed(f"{place} {what}", broken.kind, broken.detail)


def failed(what: str, kind: str, detail: str) -> errors.LeafidError:
    """The error for a failure of this kind."""
    error, cure = _HOPELESS.get(kind, (errors.StoreUnavailableError, ""))
    return error(f"{what}: {detail}{cure}")


def said(error: Exception) -> str:
    """An error's message on one line; those of servers and drivers contain no password."""
    return " ".join(str(error).split()) or type(error).__name__


def connecting(error: Exception) -> Broken:
    """The failure to connect; `lost` where waiting may help."""
    # SQLAlchemy wraps its driver's errors.
    return Broken(_connecting(getattr(error, "orig", None) or error), said(error))


def _connecting(error: BaseException) -> str:
    code = next(iter(error.args), None)
    if isinstance(code, int):
        return mysql_kind(code) or "lost"
    state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    if state and (kind := postgres_kind(state)):
        return kind
    said = str(error)
    if 'database "' in said and "does not exist" in said:
        return "nowhere"
    if 'role "' in said and "does not exist" in said:
        return "login"
    return next((kind for words, kind in _WORDS.items() if words in said), "lost")
