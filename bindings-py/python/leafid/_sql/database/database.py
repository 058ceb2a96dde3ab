"""A store's database in one process: the connection, checks and transactions."""

import random
import time
from contextlib import suppress
from functools import partial
from typing import Any

from ... import errors
from ..._native import Clock, StoreTime, abandon, decide, process
from ..making import Making
from ..tables import PATIENCE, Tables, not_there, other_version
from .engine import as_text
from .failures import Broken, connecting, failed, unreachable
from .link import Link
from .source import Source

# The place of a source whose target is not known before the first connection.
UNKNOWN = "the database"

# The longest pause before another try after a conflict, in s: a pause much longer than others' transactions
# would lose against them for ever.
_LONGEST_PAUSE = 0.010
# How often, in ms, a transaction also writes the store's time, for the check at the next start.
_BEAT_MS = 3_600_000


class Database(Tables):
    """A database in one process."""

    link: Link | None = None
    # The process that made the link.
    by = 0

    def __init__(
        self, source: Source, clock: Clock | None, allow_unsafe: bool, made: Making | None
    ) -> None:
        self.source, self.allow_unsafe = source, allow_unsafe
        super().__init__(source.place or UNKNOWN, clock, made)

    def _find(self) -> str:
        self._linked()
        return str(self.id)

    def _turn(
        self, verb: str, ask: dict[str, Any], only_reads: bool = False
    ) -> tuple[Any, dict[str, Any] | None, str]:
        # Tries again after a conflict, then with the row locked; and once more if the connection was lost
        # before the commit.
        with self.lock:
            end = time.monotonic() + PATIENCE
            was_lost = in_line = False
            while True:
                try:
                    return self._attempt(verb, ask, in_line)
                except Broken as broken:
                    in_line = in_line or broken.kind == "stale"
                    if broken.kind == "lost":
                        self.close()
                    if broken.kind == "lost" and not was_lost:
                        was_lost = True
                    elif broken.kind not in ("race", "stale"):
                        raise failed(f"{self.place} failed", broken.kind, broken.detail) from broken
                if time.monotonic() >= end:
                    raise errors.OverloadedError(
                        f"others wrote the same rows of {self.place} first, again and again: the store has more "
                        "to do than it can; ask again"
                    )
                time.sleep(random.uniform(0, _LONGEST_PAUSE))

    def close(self) -> None:
        link, self.link = self.link, None
        if link is not None and self.by != process():
            # The session belongs to the parent.
            abandon(link)
        elif link is not None:
            link.close()

    def _leave(self, own: dict[str, Any]) -> None:
        with suppress(errors.LeafidError, Broken), self.lock:
            self._linked().run("server_remove", own)

    def _attempt(
        self, verb: str, ask: dict[str, Any], in_line: bool
    ) -> tuple[Any, dict[str, Any] | None, str]:
        link, is_over = self._linked(), False
        try:
            link.begin()
            now = self._head(link)
            engine = link.engine
            run = partial(link.run, locks=in_line and engine.locking != "")
            decided = decide(self.source.leaf, self.id or "", now, verb, ask, run, self.guest)
            if decided is None:
                raise Broken("stale", "a row has changed since it was read")
            wrote, answer, waits, changes = decided
            if wrote and now - self.beaten >= _BEAT_MS:
                link.run("beat", {"now": now})
                self.beaten = now
            is_over = True
            self._commit(link)
        except Exception:
            if not is_over:
                self._roll_back(link)
            raise
        except BaseException:
            # The state of the connection is unknown.
            self.close()
            raise
        return answer, waits, changes

    def _head(self, link: Link) -> int:
        """The store's time, after checks that server and store are still the same."""
        engine = link.engine
        ((now, version, store, *settings),) = link.statement(engine.head)
        self._compare(None if store is None else bytes(store).hex())
        if int(version) != engine.version:
            raise other_version(self.place, int(version), engine.version)
        engine.judge(settings, self.place, self.allow_unsafe)
        return self.time.read(lambda: int(link.told("longest")[0]), int(now))

    def _commit(self, link: Link) -> None:
        try:
            link.script(link.engine.commit)
        except Broken as broken:
            # The commit may have happened or not: the holder repeats the ask with the same request id.
            self.close()
            raise failed(f"{self.place} failed", "lost", broken.detail) from broken

    def _roll_back(self, link: Link) -> None:
        try:
            link.script("ROLLBACK")
        except Broken:
            self.close()

    def _linked(self) -> Link:
        if self.link is not None and self.by != process():
            self.close()
        if self.link is not None:
            self.link.refuse_transaction()
            return self.link
        try:
            link = self._connected()
            meta = self._meta(link)
            if self.id is None:
                self._open(link, meta)
            else:
                self._compare(None if meta is None else meta[0])
        except Broken as broken:
            self.close()
            raise unreachable(self.place, broken) from broken
        except BaseException:
            self.close()
            raise
        return link

    def _open(self, link: Link, meta: tuple[str, int] | None) -> None:
        """Learns the store's id and its times, from a store that is created where that was asked for."""
        now = int(link.told("now")[0])
        if meta is None and self.made is not None:
            self._make(link, self.made, now)
            meta = self._meta(link)
        if meta is None:
            raise not_there(self.place, "has no tables")
        granted = int(link.told("found")[3])
        # Windows follow the database's clock, which all its users share.
        self.time = StoreTime(self.clock, granted, meta[1], now)
        self.id, self.beaten = meta

    def _compare(self, found: str | None) -> None:
        """Raises `STORE_CHANGED` for another store than the first one."""
        if found != self.id:
            raise errors.StoreChangedError(
                f"{self.place} was store {self.id} when it was opened, and is store {found or 'none'} now; "
                "nothing is granted: find out which of the two was meant"
            )

    def _connected(self) -> Link:
        try:
            connection = self.source.connect()
        except errors.LeafidError:
            raise
        except Exception as error:
            raise unreachable(self.place, connecting(error)) from error
        link = Link(connection, self.source.leaf, self.source.is_shared)
        if self.source.place is None:
            self.place = link.engine.place(link)
        settings = link.told("settings")
        link.engine.judge(settings, self.place, self.allow_unsafe, is_first=True)
        link.engine.examine(link, self.place)
        self.link, self.by = link, process()
        return link

    def _meta(self, link: Link) -> tuple[str, int] | None:
        """The id of the store in the database, and the time of its last write."""
        tables = [(as_text(name), int(ours)) for name, ours in link.statement(link.engine.texts["made"][0])]
        if not tables:
            return None
        # In a database with another program's tables, ours are named `leafid_…`.
        if not any(name.removeprefix("leafid_") == "meta" and ours for name, ours in tables):
            raise errors.SchemaMismatchError(
                f"{self.place} is not a leafid store: its table `{tables[0][0]}` is another program's; give "
                "leafid a database of its own"
            )
        found = link.told("meta")
        if not found:
            return None
        version, store, _, beat = found
        known = link.engine.version
        if int(version) != known:
            raise other_version(self.place, int(version), known)
        return bytes(store).hex(), int(beat)

    def _make(self, link: Link, made: Making, now: int) -> None:
        """Creates the tables, the namespace `default`, and last the store's row, unless another program
        did."""
        engine = link.engine
        now = now if self.clock is None else self.clock.wall_ms
        try:
            engine.begin_making(link)
            try:
                if self._meta(link) is None:
                    link.script(engine.texts["schema"][0])
                    id = made.store()
                    decide(self.source.leaf, id, now, "create_namespace", made.default, link.run)
                    row = {"version": engine.version, "store": id, "floor_ms": 0, "created_ms": now}
                    link.run("make", row)
                link.script(engine.commit)
            except BaseException:
                self._roll_back(link)
                raise
            engine.end_making(link)
        except Broken as broken:
            what = f"the tables of a store cannot be made in {self.place}"
            error = failed(what, broken.kind, broken.detail)
            then = "nothing was made, or only empty tables that the next try uses"
            raise type(error)(f"{error}; {then}") from broken
