"""The types of the native engine; `python -m mypy.stubtest leafid` checks them against it."""

from collections.abc import Callable, Coroutine, Iterator
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, Literal, Protocol, Self, final

from typing_extensions import Buffer, TypeVar

from ._values import Parts, Stats
from .errors import LeafidError

# What the IDs are: `int`, or a `NewType` of it: `orders: Segment[OrderId] = Segment("orders")`.
_Id = TypeVar("_Id", bound=int, default=int)
_Row = dict[str, Any]
_Moment = int | datetime
_LayoutArg = Layout | str | _Row

class _Array(Protocol):
    """A NumPy array, which declares itself a `Buffer` only from Python 3.12 on."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...

class _SegmentStore(Protocol):
    def lease_segment(self, ask: _Row, /) -> _Row: ...

class _WindowStore(Protocol):
    def acquire(self, ask: _Row, /) -> _Row: ...
    def renew(self, ask: _Row, /) -> _Row: ...
    def release(self, ask: _Row, /) -> object: ...

class _Generator(Generic[_Id]):
    """A generator of IDs: a `Segment` or a `Snowflake`."""

    def check(self) -> None:
        """Looks for the store now, as the first ID does: raises if no store is named, or its name
        is none. Asks the store for nothing; `ready(1)` does.
        """
    def next(self, timeout: float | None = None) -> _Id:
        """One ID. While none is at hand, waits up to `timeout` seconds (by default the generator's)
        without the interpreter lock, then raises `TimedOutError`, whose `__cause__` is the last
        failure. Errors that waiting cannot cure are raised at once.
        """
    def take(self, n: int, timeout: float | None = None) -> list[_Id]:
        """`n` IDs, ascending: all of them, or an exception, and then none is used up. Waits as
        `next` does; raises `CountInvalidError` at once for more than a single call can ever get.
        `take(0)` is an empty list, without a wait.
        """
    def fill(self, buffer: Buffer | _Array, timeout: float | None = None) -> None:
        """Fills a buffer of 64-bit integers (`array('Q')`, NumPy) with IDs, ascending: all of it,
        or an exception, and the buffer is unchanged. Waits, and is limited, as `take`.
        """
    def fill_available(self, buffer: Buffer | _Array, timeout: float | None = None) -> int:
        """Writes the IDs at hand to the beginning of a buffer, ascending, and returns how many
        there were; the rest of the buffer is unchanged. Waits as `next` does until at least one
        is at hand.
        """
    def ready(self, n: int, timeout: float | None = None) -> None:
        """Waits until `n` IDs are at hand, so that the next `n` calls of `next(timeout=0)` succeed.
        Draws nothing and reserves nothing: other threads draw from the same IDs. `ready(0)`
        returns at once, and asks the store for nothing.
        """
    def close(self, *, release: bool = False) -> None:
        """Closes the generator: the rest of a window is given back, the rest of a segment becomes a
        gap. A forked child sends nothing on its parent's behalf. Closing twice is harmless.

        A window that a state file keeps is left for the next run of the process; with `release`
        it is given back too, for a process that will not be started again.
        """
    def release(self) -> None:
        """Gives back what is in hand: the rest of a window becomes free for others, the rest of a
        segment a gap. The generator goes on: its next ID waits for a new range. For a worker
        process that ends without its interpreter's exit handlers, or pauses for long.
        """
    def forget(self) -> None:
        """Drops every range and every connection at once, and sends nothing. For a memory image
        that was copied and resumed, which no program can detect; a fork is detected without it.
        The next ID waits for a new range. A window in a state file is dropped as well: the file
        is void when this returns.
        """
    def anext(self, timeout: float | None = None) -> Coroutine[Any, Any, _Id]:
        """As `next`, awaited: while an ID is at hand the await completes at once, without a task
        switch; else it waits without blocking the event loop. Callers of one loop are served in
        order. A cancelled caller loses at most the ID that it was to get.
        """
    def atake(self, n: int, timeout: float | None = None) -> Coroutine[Any, Any, list[_Id]]:
        """As `take`, awaited."""
    def aready(self, n: int, timeout: float | None = None) -> Coroutine[Any, Any, None]:
        """As `ready`, awaited."""
    def arelease(self) -> Coroutine[Any, Any, None]:
        """As `release`, awaited: the await completes when everything to be given back was sent, or
        after 3 s.
        """
    def aclose(self) -> Coroutine[Any, Any, None]:
        """As `close`, awaited: the generator is closed at once, and the await completes when
        everything to be given back was sent, or after 3 s.
        """
    def stats(self) -> Stats:
        """The generator's counters, in this process."""
    @property
    def closed(self) -> bool:
        """Whether the generator was closed, or stopped for good."""
    def __iter__(self) -> Iterator[_Id]: ...
    def __next__(self) -> _Id: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...
    def __aiter__(self) -> Self: ...
    def __anext__(self) -> Coroutine[Any, Any, _Id]: ...
    def __aenter__(self) -> Coroutine[Any, Any, Self]: ...
    def __aexit__(self, *_exception: object) -> Coroutine[Any, Any, None]: ...

@final
class Segment(_Generator[_Id]):
    """Hands out the numbers of one tag, strictly ascending within this generator.

    `store` is a URL, an `HttpStore`, a `MemoryStore` or any object with a method
    `lease_segment(ask)`; by default the URL in the environment variable `LEAFID_STORE`. `step`
    is the size of the first lease (by default the tag's own step), `max_step` the largest size
    of any lease (by default the tag's own `max_step`); `timeout` is the longest that a call
    waits, in seconds. Nothing is leased before the first ID.

    `store` may also be `sqlite:PATH`, a file on this machine, the URL of a PostgreSQL, MySQL or
    MariaDB database, a `SqliteStore` or a `SqlStore`. With `create` the store and the tag are
    created if they do not exist.
    """
    def __new__(
        cls,
        tag: str,
        store: str | HttpStore | MemoryStore | _SegmentStore | None = None,
        *,
        create: bool = False,
        step: int | None = None,
        max_step: int | None = None,
        timeout: float = 10.0,
        clock: Clock | None = None,
    ) -> Self: ...
    tag: Final[str]

@final
class Snowflake(_Generator[_Id]):
    """Stamps IDs with the store's time and a leased worker number, ascending within this generator.

    `store` is a URL, an `HttpStore`, a `MemoryStore` or any object with the methods
    `acquire(ask)`, `renew(ask)` and `release(ask)`; by default the URL in the environment
    variable `LEAFID_STORE`. `owner` is this holder's label (by default `hostname/pid`); `layout`
    is the layout that the namespace must have (by default any).

    With `sticky` the owner keeps its worker number until it has not been seen for 30 days. While
    that number is not free, as after a crash or beside another process of this owner, the
    generator borrows another; with `strict` as well it waits. `sticky` needs an `owner` that
    survives a restart.

    `store` may also be `sqlite:PATH`, a file on this machine, the URL of a PostgreSQL, MySQL or
    MariaDB database, a `SqliteStore` or a `SqlStore`. With `create` the store and the namespace
    are created if they do not exist; `workers` is then the namespace's range of worker numbers:
    the first, and one more than the last.

    `length` is the longest window to ask for, in seconds (by default the namespace's maximum).
    The generator survives an outage of the store for as long as its window lasts; a window lasts
    at most twice as long as the generator has lived, or 10 s.

    `max_ahead` is how many seconds IDs may run ahead of the clock in a burst; the sequence of a
    new tick begins below `spread`; `state` is the path of a file on a local disk, used by this
    process alone, from which its next run starts at once although the store is away, or of a
    folder, in which each process takes a free file; `timeout` is the longest that a call waits,
    in seconds. Nothing is leased before the first ID.
    """
    def __new__(
        cls,
        namespace: str = "default",
        store: str | HttpStore | MemoryStore | _WindowStore | None = None,
        *,
        create: bool = False,
        workers: tuple[int, int] | None = None,
        owner: str | None = None,
        sticky: bool = False,
        strict: bool = False,
        layout: _LayoutArg | None = None,
        length: float | None = None,
        max_ahead: float = 1.0,
        spread: int | None = None,
        state: str | PathLike[str] | None = None,
        timeout: float = 10.0,
        clock: Clock | None = None,
    ) -> Self: ...
    namespace: Final[str]

class _Store:
    """The class under `HttpStore` and `MemoryStore`. Each call has a connection of its own."""

    def lease_segment(self, ask: _Row) -> _Row:
        """Leases numbers of a tag."""
    def acquire(self, ask: _Row) -> _Row:
        """Grants a worker number and a window on it."""
    def renew(self, ask: _Row) -> _Row:
        """Extends a window."""
    def release(self, ask: _Row) -> _Row:
        """Takes back the rest of a window."""

@final
class HttpStore(_Store):
    """A store behind a URL.

    Generators carry their asks to it in a thread that never takes the interpreter lock. `token`
    comes from the operator; `ca` is a PEM file of the authorities to trust in place of the
    public ones; `cert` and `key` are the files of a client certificate and its key. The defaults
    are `LEAFID_TOKEN`, `LEAFID_CA`, `LEAFID_CERT` and `LEAFID_KEY` in the environment. The files
    are read once.
    """
    def __new__(
        cls,
        url: str,
        *,
        token: str | None = None,
        ca: str | PathLike[str] | None = None,
        cert: str | PathLike[str] | None = None,
        key: str | PathLike[str] | None = None,
    ) -> Self: ...
    url: Final[str]
    def __getnewargs_ex__(self) -> tuple[tuple[str], _Row]: ...

@final
class MemoryStore(_Store):
    """A store in memory: it creates tags and namespaces on first use, and forgets its grants when
    it is dropped. In a forked child it raises `CLOSED`.
    """
    def __new__(cls, *, clock: Clock | None = None) -> Self: ...
    id: Final[str]
    def create_tag(
        self,
        tag: str,
        *,
        start: int | None = None,
        step: int | None = None,
        max_step: int | None = None,
        until: int | None = None,
    ) -> None:
        """Creates a tag whose numbers begin at `start` and stay below `until`."""
    def create_namespace(
        self, namespace: str, *, layout: _LayoutArg = ..., max_window: float | None = None
    ) -> None:
        """Creates a namespace; windows are at most `max_window` seconds long."""

@final
class Layout:
    """Epoch, tick length and the widths of time, worker and sequence: at most 63 bits together.

    Presets: `Layout.leaf` (41/10/12, 1 ms), `Layout.edge` (41/16/6, 1 ms), `Layout.long`
    (39/16/8, 10 ms), `Layout.js53` (39/8/6, 10 ms).
    """
    leaf: ClassVar[Layout]
    edge: ClassVar[Layout]
    long: ClassVar[Layout]
    js53: ClassVar[Layout]
    def __new__(
        cls,
        *,
        epoch_ms: int,
        tick_ms: int,
        time_bits: int,
        worker_bits: int,
        sequence_bits: int,
    ) -> Self: ...
    epoch_ms: Final[int]
    tick_ms: Final[int]
    time_bits: Final[int]
    worker_bits: Final[int]
    sequence_bits: Final[int]
    last_ms: Final[int]
    per_second: Final[int]
    workers: Final[int]
    def compose(self, time: _Moment, worker: int, sequence: int) -> int:
        """The ID of a moment (ms since 1970, or a `datetime`), a worker and a sequence number."""
    def decompose(self, id: int) -> Parts:
        """Splits an ID into its parts."""
    def first_id(self, time: _Moment) -> int:
        """The smallest ID of a moment: the lower bound of a range query."""
    def last_id(self, time: _Moment) -> int:
        """The largest ID of a moment: the inclusive upper bound of a range query."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, int]]: ...

@final
class Scrambler:
    """Converts the IDs of one tag (or namespace) to public texts, such as `order_7Xk2mPq9RtB`, and
    back.

    `key` is 16 or 32 random bytes; keep it for as long as texts are in use. `prefix` names the
    kind of thing, and texts with another prefix are refused. `alphabet` is `base58` or `base62`;
    a text has 11 digits in either. The cipher is FF1 of NIST SP 800-38G over 63 bits, with the
    tag as its tweak.

    A text gives no permission: check what its user may access. There is no check digit: a typo
    decodes to another number of 63 bits, practically never one of your IDs.
    """
    def __new__(
        cls,
        key: bytes | bytearray,
        tag: str,
        *,
        prefix: str | None = None,
        alphabet: Literal["base58", "base62"] = "base58",
    ) -> Self: ...
    def encode(self, id: int) -> str:
        """The public text of an ID."""
    def decode(self, text: str) -> int:
        """The ID of a public text. Raises `IdInvalidError` for another prefix, length or alphabet.
        """
    def scramble(self, id: int) -> int:
        """The ID scrambled to another number of 63 bits, for use where a number is needed."""
    def unscramble(self, number: int) -> int:
        """The ID that was scrambled to this number."""

@final
class Clock:
    """A host's clock that a test can freeze, step back or make leap.

    It shows the real clocks until it is moved. Pass it as `clock=` to a generator or a
    `MemoryStore`.
    """
    def __new__(cls) -> Self: ...
    def freeze(self) -> None:
        """Stops both clocks at their current time; steps still move them."""
    def thaw(self) -> None:
        """Lets both clocks run again."""
    def advance(self, ms: int) -> None:
        """Moves both clocks by `ms`, as the passing of time does."""
    def step_monotonic(self, ms: int) -> None:
        """Moves the monotonic clock alone by `ms`; back, if negative."""
    def step_wall(self, ms: int) -> None:
        """Moves the wall clock alone by `ms`; back, if negative."""
    @property
    def monotonic_ms(self) -> int:
        """The monotonic clock's time, in ms."""
    @property
    def wall_ms(self) -> int:
        """The wall clock's time, in ms since 1970."""

def decode(id: int, layout: _LayoutArg = ...) -> Parts:
    """Splits an ID into `time_ms`, `tick`, `worker`, `sequence`, and `time` as a `datetime`."""
def base32(id: int, /) -> str:
    """13 characters of Crockford's base32, upper case: they sort as the numbers do."""
def base58(id: int, /) -> str:
    """11 digits without `0`, `O`, `I` and `l`: they sort as the numbers do."""
def base62(id: int, /) -> str:
    """11 digits of `0-9A-Za-z`: they sort as the numbers do."""
def decimal(id: int, /) -> str:
    """The decimal form, without leading zeros."""
def parse_base32(text: str, /) -> int:
    """The ID of a base32 form. Strict: 13 characters, upper case, no look-alikes."""
def parse_base58(text: str, /) -> int:
    """The ID of a base58 form. Strict: 11 digits."""
def parse_base62(text: str, /) -> int:
    """The ID of a base62 form. Strict: 11 digits."""
def parse_decimal(text: str, /) -> int:
    """The ID of a decimal form. Strict: digits only, no leading zero, no sign."""
def lease_segment(
    store: bytes | str, row: _Row, ask: _Row, now_ms: int
) -> tuple[_Row, _Row | LeafidError]: ...
def acquire(
    store: bytes | str,
    namespace: _Row,
    candidates: dict[str, _Row | None],
    ask: _Row,
    now_ms: int,
) -> tuple[_Row, _Row | None, _Row]: ...
def renew(
    store: bytes | str, namespace: _Row, row: _Row, ask: _Row, now_ms: int
) -> tuple[_Row, _Row | LeafidError]: ...
def release(
    store: bytes | str, row: _Row, ask: _Row, now_ms: int = 0
) -> tuple[_Row, _Row]: ...
def tag_row(spec: _Row, before: _Row | None = None) -> _Row: ...
def namespace_row(spec: _Row) -> _Row: ...
def mysql_kind(number: int) -> str | None: ...
def postgres_kind(state: str) -> str | None: ...
def sql_texts(dialect: str) -> tuple[int, dict[str, tuple[str, tuple[str, ...]]]]: ...

def namespace_fields(
    name: str | None,
    layout: _LayoutArg | None = None,
    workers: tuple[int, int] | None = None,
    max_window: float | None = None,
) -> _Row: ...

@final
class StoreTime:
    def __new__(
        cls, clock: Clock | None, granted_ms: int, seen_ms: int, told_ms: int | None = None
    ) -> StoreTime: ...
    def read(self, max_window_ms: Callable[[], int], told_ms: int | None = None) -> int: ...

def decide(
    is_leaf: bool,
    store: str | bytes,
    now_ms: int,
    verb: str,
    ask: _Row,
    run: Callable[[str, _Row], tuple[list[_Row], int]],
    guest: str | bytes | None = None,
) -> tuple[bool, Any, _Row | None, str] | None: ...
def absence(path: Path) -> str | None: ...
def journal_folder(path: str | PathLike[str]) -> Path: ...
def note(journal: str | PathLike[str], store: str | bytes, changes: str) -> str | None: ...

SQLITE_APPLICATION: int

def conform(
    store: object,
    tag: str,
    namespace: str,
    clock: Clock | None,
    again: Callable[[], object] | None,
    patience: float,
) -> tuple[dict[str, str], list[str]]: ...
def process() -> int: ...
def abandon(object: object) -> None: ...
def close_all() -> None: ...
def forget_all() -> None:
    """Calls `forget` on every generator of this process: for a memory image that was copied and
    resumed.
    """
def release_all() -> None:
    """Gives back the ranges of every generator of this process, and waits up to a second until that
    is sent. Each goes on: its next ID waits for a new range. For a worker process that ends
    without its interpreter's exit handlers, and before an image of the process is stored.
    """
def set_test(name: str, begins: bool) -> None: ...
def engine_version() -> str: ...
