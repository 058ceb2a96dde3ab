"""PostgreSQL, with the tables in their own schema `leafid`."""

from typing import Any

from ..._native import postgres_kind
from .engine import LOCKED_MS, STATEMENT_MS, Engine, Queries

# The advisory lock against two programs that create a store at once: `leafid` in ASCII.
_MAKING = 0x6C6561666964
# With `pg_temp` last: otherwise the session's temporary tables would come first.
_PATH = "leafid, pg_temp"
_HEAD = f"""
SELECT {{now}}, (SELECT version FROM leafid.meta), (SELECT store FROM leafid.meta), {{settings}},
    set_config('search_path', '{_PATH}', true),
    -- For this transaction, whatever the server is told while it runs.
    set_config('synchronous_commit', CASE current_setting('synchronous_commit')
        WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)
"""


class Postgres(Engine):
    dialect = "postgres"
    # No shared lock: two transactions with one could both wait to change the row.
    locking = "FOR NO KEY UPDATE"
    begin = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    probe = r"SELECT 1::bigint, 'a'::text, true, '\x01'::bytea"
    kinds = ((int,), (str,), (bool,), (bytes, memoryview))

    def __init__(self, link: Queries) -> None:
        super().__init__()
        self.head = _HEAD.format(now=self.expressions("now"), settings=self.expressions("settings"))
        self.session = [
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
            f"SET search_path = {_PATH}",
            "SET timezone = 'UTC'",
            f"SET lock_timeout = {LOCKED_MS}",
            f"SET statement_timeout = {STATEMENT_MS}",
            f"SET idle_in_transaction_session_timeout = {STATEMENT_MS}",
        ]

    def kind(self, error: Exception) -> str:
        state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
        # Without one it is an error of the driver, not the server.
        return "lost" if state is None else postgres_kind(state) or "refused"

    def place(self, link: Queries) -> str:
        ((user, host, port, name),) = link.statement(
            "SELECT current_user, host(inet_server_addr()), inet_server_port(), current_database()"
        )
        return f"postgres://{user}@{host or 'localhost'}:{port or 5432}/{name}"

    def begin_making(self, link: Queries) -> None:
        link.script("BEGIN", f"SELECT pg_advisory_xact_lock({_MAKING})")
