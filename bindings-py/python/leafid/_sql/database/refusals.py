"""Kinds of failures to connect to a database."""

from ..._native import mysql_kind, postgres_kind

# PostgreSQL's drivers keep no SQLSTATE of a refused connection: only the message tells, if it is
# English; otherwise the failure counts as temporary.
_WORDS = {
    "password authentication failed": "login",
    "no password supplied": "login",
    "no pg_hba.conf entry": "login",
    "is not permitted to log in": "login",
    "permission denied for database": "denied",
}


def connecting(error: BaseException) -> str:
    """The kind of a failure to connect, as in `Broken`; `lost` where waiting may help."""
    # SQLAlchemy wraps its driver's errors.
    error = getattr(error, "orig", None) or error
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
