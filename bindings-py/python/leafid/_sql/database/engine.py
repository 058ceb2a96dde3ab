"""The common part of the database engines."""

import logging
from typing import Any, Protocol

from ... import errors
from ..._native import sql_texts

# A text, and the names of its parameters in the order of their values.
Text = tuple[str, tuple[str, ...]]
# The time-out of a statement, in ms: as long as a holder waits for an answer.
STATEMENT_MS = 3_000
# The longest wait for a locked row, in ms.
LOCKED_MS = 2_000
_LOSES = "a crash forgets what was answered last: the same numbers would be granted again"


def as_text(value: object) -> str:
    """The text of a value that a driver may give as bytes."""
    return bytes(value).decode() if isinstance(value, (bytes, bytearray, memoryview)) else str(value)


def in_transaction() -> errors.LeafidError:
    return errors.StoreRefusedError(
        "the connection is inside a transaction, whose end would undo what is granted here, and it "
        "would be granted again; have `connect` make a new connection each time, which nobody else uses"
    )


class Queries(Protocol):
    """The part of a link that engines use."""

    def script(self, *texts: str) -> None: ...

    def told(self, name: str) -> list[Any]: ...

    def statement(self, sql: str) -> list[Any]: ...


class Engine:
    """A database engine, as used over one connection. Each also has `kind`, the kind of a failure: one of `Broken`, or
    `nothing` where it means that no row was found or written; `place`, the target of a connection that a function
    made, in the form of `--store`; and `begin_making`, which locks out other programs that would create a store
    here, and begins a transaction where tables can be created in one."""

    # The name of the dialect's texts.
    dialect: str
    # The clause after a text that locks the rows read, if all transactions on one tag, or one namespace, read
    # it first: they then wait for each other, instead of failing at the end.
    locking = ""
    # The version of the tables that this program knows, and the texts by their names.
    version: int
    texts: dict[str, Text]
    # The statements that set up a session.
    session: list[str]
    # Begin and end a transaction whatever the session's settings are.
    begin: str
    commit = "COMMIT"
    # The first query of a transaction: the time, the tables' version and store, and the columns of
    # `settings`.
    head: str
    # A query for a value of each kind, and the types that drivers return without custom converters.
    probe: str
    kinds: tuple[tuple[type, ...], ...]

    def __init__(self) -> None:
        self.version, self.texts = sql_texts(self.dialect)

    def expressions(self, name: str) -> str:
        """The columns of a text that is a `SELECT` without a table."""
        return self.texts[name][0].removeprefix("SELECT").strip()

    def value(self, name: str, value: Any) -> Any:
        """The value of a parameter in the driver's form."""
        return value

    def judge(
        self, found: list[Any], place: str, allow_unsafe: bool, is_first: bool = False
    ) -> None:
        """Raises `STORE_REFUSED` for a server whose settings, as `settings` reports them, may lose
        grants. Warns the first time of a risk that is accepted."""
        refused, setting, cure = (None if said is None else as_text(said) for said in found[:3])
        if refused is not None:
            raise errors.StoreRefusedError(f"{place} {refused}")
        if setting is None:
            return
        if not allow_unsafe:
            raise errors.StoreRefusedError(
                f"{place} has {setting}, and {_LOSES}; {cure}, or, if that loss is to be accepted, pass "
                "`allow_unsafe_settings=True`"
            )
        if is_first:
            # Looked up here and not at the import, for the reason that `Tables._raise` gives.
            log = logging.getLogger("leafid")
            log.warning("%s has %s, let pass by `allow_unsafe_settings`: %s", place, setting, _LOSES)

    def examine(self, link: Queries, place: str) -> None:
        """Raises `STORE_REFUSED` for tables that cannot keep what is written to them."""

    def refuse_shadows(self, link: Queries, table: str) -> None:
        """Raises `STORE_REFUSED` where the session has a temporary table of this name, which would hide
        ours."""

    def end_making(self, link: Queries) -> None:
        """Releases the lock of `begin_making`."""
