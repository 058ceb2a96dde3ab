"""MySQL and MariaDB, with the tables in their own database."""

from typing import Any

from ... import errors
from ..._native import mysql_kind
from .engine import LOCKED_MS, STATEMENT_MS, Engine, Queries, as_text, in_transaction

# A duplicate key; a name with characters that the column cannot contain.
_NOTHING = {1062, 1267}
# Kept as bytes: MySQL ignores trailing blanks when it compares texts.
_AS_BYTES = {"owner", "was_owner"}


class Mysql(Engine):
    dialect, prefix = "mysql", ""
    locking = "FOR UPDATE"
    begin, commit = "START TRANSACTION READ WRITE", "COMMIT AND NO CHAIN NO RELEASE"
    probe = "SELECT CAST(1 AS SIGNED), 'a', X'01'"
    kinds = ((int,), (str,), (bytes,))

    def __init__(self, link: Queries) -> None:
        super().__init__()
        meta = f"{self.prefix}meta"
        self.head = (
            f"SELECT {self.expressions('now')}, (SELECT version FROM {meta}), "
            f"(SELECT store FROM {meta}), {self.expressions('settings')}"
        )
        ((server, by_statements),) = link.statement(
            "SELECT version(), @@global.log_bin AND @@global.binlog_format = 'STATEMENT'"
        )
        is_mariadb = "MariaDB" in as_text(server)
        if is_mariadb and link.statement("SELECT @@in_transaction")[0][0]:
            raise in_transaction()
        # A statement-based binary log refuses READ COMMITTED. At either level, our statements lock the
        # rows that they change.
        level = "REPEATABLE READ" if by_statements else "READ COMMITTED"
        # MariaDB can end an idle transaction, which would keep its locks; MySQL has no such setting.
        limit = f"max_execution_time = {STATEMENT_MS}"
        if is_mariadb:
            seconds = STATEMENT_MS / 1_000
            limit = f"max_statement_time = {seconds}, idle_transaction_timeout = {round(seconds)}"
        self.session = [
            f"SET SESSION TRANSACTION ISOLATION LEVEL {level}",
            "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
            "sql_select_limit = 18446744073709551615, completion_type = 'NO_CHAIN', "
            f"time_zone = '+00:00', innodb_lock_wait_timeout = {LOCKED_MS // 1_000}, {limit}",
        ]

    def value(self, name: str, value: Any) -> Any:
        return value.encode() if name in _AS_BYTES and isinstance(value, str) else value

    def kind(self, error: Exception) -> str:
        code = next(iter(error.args), None)
        code = getattr(error, "errno", code)
        # Other numbers than a server's are the driver's own.
        if not isinstance(code, int) or code == 0 or 2_000 <= code < 3_000:
            return "lost"
        return "nothing" if code in _NOTHING else mysql_kind(code) or "refused"

    def examine(self, link: Queries, place: str) -> None:
        for refused in link.told("foreign"):
            raise errors.StoreRefusedError(f"{place} {as_text(refused)}")

    def refuse_shadows(self, link: Queries, table: str) -> None:
        # Qualifying the name would not help: a temporary table hides that, too.
        made = as_text(link.statement(f"SHOW CREATE TABLE {table}")[0][1])
        if made.upper().startswith("CREATE TEMPORARY"):
            raise errors.StoreRefusedError(
                f"the connection has a temporary table `{table}`, which would be written instead of the "
                "store's, and forgotten: DROP TEMPORARY TABLE it, or have `connect` make a new connection "
                "each time, which nobody else uses"
            )

    def place(self, link: Queries) -> str:
        (found,) = link.statement(
            "SELECT SUBSTRING_INDEX(USER(), '@', 1), @@hostname, @@port, DATABASE()"
        )
        user, host, port, name = map(as_text, found)
        return f"mysql://{user}@{host}:{port}/{name}"

    def begin_making(self, link: Queries) -> None:
        # A named lock, since `CREATE TABLE` commits the transaction.
        ((held,),) = link.statement("SELECT GET_LOCK(CONCAT('leafid ', DATABASE()), 2)")
        if held != 1:
            raise errors.StoreUnavailableError(
                "another program is making a store in this database; try again"
            )

    def end_making(self, link: Queries) -> None:
        link.statement("SELECT RELEASE_LOCK(CONCAT('leafid ', DATABASE()))")


def not_leafs(said: str) -> errors.LeafidError:
    return errors.RequestInvalidError(
        f"`tags=leaf_alloc` is for Leaf's own table in MySQL or MariaDB, and this is {said}; leave it "
        "out"
    )


class Leaf(Mysql):
    """Leaf's database: its table `leaf_alloc` keeps the tags, unchanged, and a Leaf may run at the same
    time. Everything else is in our own tables, named `leafid_…`."""

    dialect, prefix = "leaf", "leafid_"
    # No lock: a tag is read from two tables, and a Leaf would not wait for it.
    locking = ""

    def place(self, link: Queries) -> str:
        return f"{super().place(link)}?tags=leaf_alloc"

    def examine(self, link: Queries, place: str) -> None:
        super().examine(link, place)
        mismatch, refused = link.told("columns")
        if mismatch is not None:
            raise errors.SchemaMismatchError(f"{place} {as_text(mismatch)}")
        if refused is not None:
            raise errors.StoreRefusedError(f"{place} {as_text(refused)}")
