"""Kinds of permanent failures of databases: no access, or no such database or table."""

# By MySQL's error numbers, and by PostgreSQL's SQLSTATEs.
MYSQL = {
    **dict.fromkeys((1045, 1130, 1698, 3118), "login"),
    **dict.fromkeys((1044, 1142, 1143, 1227, 3159), "denied"),
    1049: "nowhere",
    1146: "gone",
}
POSTGRES = {
    **dict.fromkeys(("28P01", "28000"), "login"),
    "42501": "denied",
    "3D000": "nowhere",
    **dict.fromkeys(("3F000", "42P01"), "gone"),
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


def connecting(error: BaseException) -> str:
    """The kind of a failure to connect, as in `Broken`; `lost` where waiting may help."""
    # SQLAlchemy wraps its driver's errors.
    error = getattr(error, "orig", None) or error
    code = next(iter(error.args), None)
    if isinstance(code, int):
        return MYSQL.get(code, "lost")
    state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    if state in POSTGRES:
        return POSTGRES[state]
    said = str(error)
    if 'database "' in said and "does not exist" in said:
        return "nowhere"
    if 'role "' in said and "does not exist" in said:
        return "login"
    return next((kind for words, kind in _WORDS.items() if words in said), "lost")
