"""The store that is checked: asks as holders send them, and time that passes."""

import os
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from .._native import HttpStore, Layout, MemoryStore
from ..errors import LeafidError
from .checks import Failed, Skipped, that

Row = dict[str, Any]
T = TypeVar("T")

# How many worker numbers a namespace has that is created here.
NUMBERS = 4
# A window of a second: the shortest.
LENGTH_MS = 1_000
# So far the clocks of a store's servers may be apart.
_APART_MS = 1_000
# After how long without an answer a store counts as hanging.
_HANGS_S = 30.0
# No check waits longer for a number.
_TRIES = 10


class Subject:
    """A store, and what it granted in the check that runs."""

    def __init__(self, store: Any, tag: str, namespace: str, clock: Any, again: Any) -> None:
        self.store = _resolved(store)
        self.tag, self.namespace, self.clock = tag, namespace, clock
        self._again = again
        self._held: list[Row] = []
        # What was granted since the first check: of a tag, or of a worker number.
        self._granted: dict[str, list[tuple[int, int, str]]] = {}
        self._noting = threading.Lock()
        self._latest, self.backwards = 0, ""
        self._answers = 0
        _create(self.store, "create_tag", tag, {})
        _create(self.store, "create_namespace", namespace, {"workers": (0, NUMBERS)})

    def has(self, verbs: tuple[str, ...]) -> bool:
        return all(hasattr(self.store, verb) for verb in verbs)

    def again(self) -> Any:
        """Another object for the same store."""
        if self._again is None:
            raise Skipped
        return self._again()

    def lease(self, of: Any = None, **more: Any) -> Row:
        """A lease of the tag; its ends are numbers."""
        ask = {"tag": self.tag, "request": token(), **more}
        before = self._latest
        lease = _read((of or self.store).lease_segment(ask), ask)
        self._note("numbers", lease, lease["request"], before)
        return lease

    def acquire(self, of: Any = None, **more: Any) -> Row:
        """A window, after a wait where all numbers rest."""
        for _ in range(_TRIES):
            try:
                return self.acquire_now(of, **more)
            except LeafidError as error:
                if error.code != "WORKERS_EXHAUSTED":
                    raise
                self.pass_ms(round((error.retry_after or 0.1) * 1_000) + 10)
        raise Failed(f"no number of the namespace `{self.namespace}` becomes free")

    def acquire_now(self, of: Any = None, **more: Any) -> Row:
        ask = {
            "namespace": self.namespace,
            "request": token(),
            "owner": f"conform-{token()}",
            "length_ms": LENGTH_MS,
            **more,
        }
        before = self._latest
        window = _read((of or self.store).acquire(ask), ask)
        self._note(f"ticks of worker {window['worker']}", window, window["request"], before)
        self._held.append(window)
        return window

    def renew(self, window: Row, of: Any = None, **more: Any) -> Row:
        ask = {
            "namespace": self.namespace,
            "request": token(),
            "store": window["store"],
            "worker": window["worker"],
            "key": window["request"],
            "have_until": window["end"],
            "length_ms": LENGTH_MS,
            **more,
        }
        before = self._latest
        longer = _read((of or self.store).renew(ask), ask)
        if longer["start"] < longer["end"]:
            self._note(f"ticks of worker {longer['worker']}", longer, ask["key"], before)
        return longer

    def release(self, window: Row, **more: Any) -> None:
        ask = {
            "namespace": self.namespace,
            "store": window["store"],
            "worker": window["worker"],
            "key": window["request"],
            "unused_from": window["start"],
            **more,
        }
        self.store.release(ask)
        # A store over HTTP does not say whether it was done.
        if ask["key"] == window["request"]:
            self._given_back(f"ticks of worker {window['worker']}", ask["key"], ask["unused_from"])

    def pass_ms(self, ms: int) -> None:
        """Time passes: by hand, where the store has a clock for that."""
        if self.clock is None:
            time.sleep(ms / 1_000)
        else:
            self.clock.advance(ms)

    def at_once(self, count: int, act: Callable[[], T]) -> list[T]:
        """What this many threads are given that all ask at the same time."""
        start = threading.Barrier(count)
        given: list[T] = []
        errors: list[BaseException] = []

        def run() -> None:
            start.wait()
            try:
                given.append(act())
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=run, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            seen = -1
            while thread.is_alive():
                # On a busy machine all of them may take longer, but somebody is answered meanwhile.
                answered = self._answers + len(given) + len(errors)
                that(answered > seen, f"it does not answer within {_HANGS_S:g} s")
                seen = answered
                thread.join(_HANGS_S)
        if errors:
            raise errors[0]
        return given

    def _note(self, line: str, grant: Row, key: str, before_ms: int) -> None:
        """Two leases share nothing: what one has, of another key, nobody else gets. And time does not
        go back behind what the store had said before this was asked."""
        start, end, now_ms = grant["start"], grant["end"], int(grant["now_ms"])
        with self._noting:
            self._answers += 1
            if now_ms < before_ms - _APART_MS:
                self.backwards = f"it said {before_ms} ms, then {now_ms}"
            self._latest = max(self._latest, now_ms)
            granted = self._granted.setdefault(line, [])
            for one, other, of in granted:
                apart = of == key or end <= one or other <= start
                that(apart, f"{line} {one}..{other} and {start}..{end} overlap: the same IDs twice")
            granted.append((start, end, key))

    def _given_back(self, line: str, key: str, unused_from: int) -> None:
        with self._noting:
            kept = [
                (start, min(end, unused_from) if of == key else end, of)
                for start, end, of in self._granted.get(line, [])
            ]
            self._granted[line] = [grant for grant in kept if grant[0] < grant[1]]

    def clean(self) -> None:
        """Gives back what the check had, so that the next one finds free numbers."""
        while self._held:
            try:
                self.release(self._held.pop())
            except Exception:
                # It was given back already, or is another's by now.
                continue


def token() -> str:
    """A fresh request id."""
    return os.urandom(16).hex()


def layout_of(window: Row) -> Layout:
    layout = window["layout"]
    return getattr(Layout, layout) if isinstance(layout, str) else Layout(**layout)


def _read(answer: Any, ask: Row) -> Row:
    that(isinstance(answer, dict), f"the answer is a `{type(answer).__name__}`, not a dict")
    for field in ("request", "store", "start", "end", "now_ms"):
        that(field in answer, f"the answer has no `{field}`: {answer}")
    said = answer["request"]
    that(said == ask["request"], f"the answer is to request `{said}`, not to `{ask['request']}`")
    return {**answer, "start": int(answer["start"]), "end": int(answer["end"])}


def _resolved(store: Any) -> Any:
    if not isinstance(store, str):
        return store
    if store.startswith("memory:"):
        return MemoryStore()
    if store.startswith(("http://", "https://")):
        return HttpStore(store)
    from .._sql import open_store

    return open_store(store, create=False)


def _create(store: Any, verb: str, name: str, how: Row) -> None:
    """Makes a tag or a namespace where the store can, and where it is not there yet."""
    make = getattr(store, verb, None)
    if make is None:
        return
    if isinstance(store, MemoryStore):
        # It has numbers of its own.
        how = {}
    else:
        how = {**how, "if_missing": True}
    try:
        make(name, **how)
    except LeafidError as error:
        if error.code not in ("TAG_EXISTS", "WORKER_INVALID"):
            raise
