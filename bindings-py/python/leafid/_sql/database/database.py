"""A database in one process: its connection, what it must be, and its transactions."""

import random
import threading
import time
from typing import Any

from ... import errors
from ..._native import StoreTime, Turn, abandon, process
from ..clock import Clock, System, Told
from ..forking import PATIENCE, keep
from ..making import Making
from ..turn import Conflict, carry
from . import words
from .engine import Engine
from .link import Broken, Link
from .refusals import connecting
from .source import Source

# A place that is known only once there is a connection.
UNKNOWN = "the database"

# The longest pause before a decision is made again, in s: whoever waits much longer than others need
# loses against them for ever.
_LONGEST_PAUSE = 0.010
# How often the store's time is written along with something else: the next start shall know one.
_BEAT_MS = 3_600_000


class Database:
    """One connection, which is made by the first transaction, made again where it was lost, and
    closed when the process forks."""

    link: Link | None = None
    # The process that made it.
    by = 0
    id: str | None = None

    def __init__(
        self, source: Source, clock: Clock | None, allow_unsafe: bool, made: Making | None
    ) -> None:
        self.source, self.allow_unsafe, self.made = source, allow_unsafe, made
        self.place = source.place or UNKNOWN
        self.lock = threading.Lock()
        ticks = clock or System()
        # Windows follow the database's clock, so that all who use it have one.
        self.told = Told(ticks) if clock is None else None
        self.clock: Clock = self.told or ticks
        self.beaten = 0
        keep(self)

    def found(self) -> str:
        """The id of the store, which is looked for now if nobody has asked for anything yet."""
        with self.lock:
            return self.id or self._open()

    def _open(self) -> str:
        """Finds the store, or makes it where that is asked for."""
        link = self._connected()
        try:
            self._time(link, int(link.values(self._text(link, "meta/now"))[0]))
            meta = self._meta(link)
            if meta is None and self.made is not None:
                self._make(link, self.made)
                meta = self._meta(link)
            if meta is None:
                raise words.not_there(self.place)
            id, self.beaten = meta
            granted = int(link.values(self._text(link, "meta/found"))[3])
            called = "the database's clock"
            self.time = StoreTime(self.clock, granted, self.beaten, called)
        except BaseException as error:
            self.close()
            if isinstance(error, Broken):
                raise words.unreachable(self.place, error.kind, error.detail) from error
            raise
        self.id = id
        return id

    def decide(self, verb: str, ask: dict[str, Any]) -> Any:
        """Has a request decided in a transaction: again where another was faster, and then in line with the others;
        and once more where the connection was lost before it was over."""
        with self.lock:
            if self.id is None:
                self._open()
            end = time.monotonic() + PATIENCE
            was_lost = in_line = False
            while True:
                try:
                    return self._attempt(verb, ask, in_line)
                except Conflict:
                    in_line = True
                except Broken as broken:
                    if broken.kind == "lost":
                        self.close()
                    if broken.kind == "lost" and not was_lost:
                        was_lost = True
                    elif broken.kind != "race":
                        raise words.failed(self.place, broken.detail, broken.kind) from broken
                if time.monotonic() >= end:
                    raise words.overloaded(self.place)
                time.sleep(random.uniform(0, _LONGEST_PAUSE))

    def close(self) -> None:
        """Closes it, by whoever has the lock; the next transaction makes another."""
        link, self.link = self.link, None
        if link is not None and self.by != process():
            # Its session is the parent's.
            abandon(link)
        elif link is not None:
            link.close()

    def __del__(self) -> None:
        self.close()

    def _attempt(self, verb: str, ask: dict[str, Any], in_line: bool) -> Any:
        link, is_over = self._linked(), False
        try:
            link.begin()
            now = self._head(link)
            engine = _engine(link)
            turn = Turn(engine.dialect, self.id or "", now, verb, ask)
            run = (lambda text, params: link.run(engine.locked(text), params)) if in_line else link.run
            if carry(turn, run) and now - self.beaten >= _BEAT_MS:
                link.run(engine.texts["rows/beat"], {"now": now})
                self.beaten = now
            is_over = True
            self._commit(link)
        except Exception:
            if not is_over:
                self._roll_back(link)
            raise
        except BaseException:
            # In the middle of who knows what.
            self.close()
            raise
        return turn.answer()

    def _head(self, link: Link) -> int:
        """The store's time; after a look at the server and the store, which may be others by now."""
        engine = _engine(link)
        now, version, store, *settings = link.values(engine.head)
        found = "none" if store is None else bytes(store).hex()
        if found != self.id:
            raise words.another(self.place, str(self.id), found)
        if int(version) != engine.version:
            raise words.other_version(self.place, int(version), engine.version)
        engine.judge(settings, self.place, self.allow_unsafe)
        return self._time(link, int(now))

    def _time(self, link: Link, now: int) -> int:
        """The store's time, after the database said its own."""
        if self.told is not None:
            self.told.learn(now)
        if self.id is None:
            return self.clock.wall_ms
        longest = "SELECT coalesce(max(max_window_ms), 0) FROM namespaces"
        return self.time.read(lambda: int(link.values(longest)[0]))

    def _commit(self, link: Link) -> None:
        try:
            link.script(_engine(link).commit)
        except Broken as broken:
            # Nobody knows whether it was carried out: who asked asks again, by the same request.
            self.close()
            raise words.failed(self.place, broken.detail) from broken

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
        link = self._connected()
        try:
            meta = self._meta(link)
        except Broken as broken:
            self.close()
            raise words.unreachable(self.place, broken.kind, broken.detail) from broken
        found = "none" if meta is None else meta[0]
        if found != self.id:
            self.close()
            raise words.another(self.place, str(self.id), found)
        return link

    def _connected(self) -> Link:
        try:
            connection = self.source.connect()
        except errors.LeafidError:
            raise
        except Exception as error:
            raise words.unreachable(self.place, connecting(error), words.said(error)) from error
        try:
            link = Link(connection, self.source.leaf, self.source.is_shared)
            if self.source.place is None:
                self.place = _engine(link).place(link)
            settings = link.values(self._text(link, "meta/settings"))
            _engine(link).judge(settings, self.place, self.allow_unsafe, is_first=True)
            _engine(link).examine(link, self.place)
        except Broken as broken:
            raise words.unreachable(self.place, broken.kind, broken.detail) from broken
        self.link, self.by = link, process()
        return link

    def _text(self, link: Link, name: str) -> str:
        return _engine(link).texts[name]

    def _meta(self, link: Link) -> tuple[str, int] | None:
        """The id of the store that is there, and when it was written last."""
        tables = [(words.text(name), int(ours)) for name, ours in link.table(self._text(link, "meta/made"))]
        if not tables:
            return None
        # Beside another program's tables ours are called `leafid_…`.
        if not any(name.removeprefix("leafid_") == "meta" and ours for name, ours in tables):
            raise words.foreign(self.place, tables[0][0])
        found = link.values(self._text(link, "meta/meta"))
        if not found:
            return None
        version, store, _, beat = found
        known = _engine(link).version
        if int(version) != known:
            raise words.other_version(self.place, int(version), known)
        return bytes(store).hex(), int(beat)

    def _make(self, link: Link, made: Making) -> None:
        """The tables, the namespace `default`, and the store's row, which comes last; another
        program may be faster."""
        engine = _engine(link)
        try:
            engine.begin_making(link)
            try:
                if self._meta(link) is None:
                    link.script(engine.named(engine.texts["schema"]))
                    id, now = made.store(), self.clock.wall_ms
                    carry(Turn(engine.dialect, id, now, "create_namespace", made.default), link.run)
                    row = {"version": engine.version, "store": id, "floor_ms": 0}
                    row["created_ms"] = now
                    link.run(engine.texts["meta/make"], row)
                link.script(engine.commit)
            except BaseException:
                self._roll_back(link)
                raise
            engine.end_making(link)
        except Broken as broken:
            raise words.cannot_make(self.place, broken.kind, broken.detail) from broken


def _engine(link: Link) -> Engine:
    assert link.engine is not None, "it is known once there is a link"
    return link.engine
