"""What a store must do, checked on a store: `leafid.testing.conform`.

The checks are data, the same for every language; here they are played.
"""

import json
import operator
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from ._native import CONFORM_CHECKS, HttpStore, Layout, MemoryStore
from .errors import LeafidError

__all__ = ["DoesNotConform", "conform"]

Row = dict[str, Any]

CHECKS: list[Row] = json.loads(CONFORM_CHECKS)
# How many worker numbers a namespace has that is created here, and how many are taken at most.
_NUMBERS, _MOST = 4, 16
# A window of a second: the shortest.
_LENGTH_MS = 1_000
# So far the clocks of a store's servers may be apart.
_APART_MS = 1_000
# After how long without an answer a store counts as hanging.
_HANGS_S = 30.0
# How often it is waited for a number, or asked again where a store has too much to do.
_TRIES = 10

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<<": operator.lshift,
    "min": min,
    "max": max,
}


class DoesNotConform(AssertionError):
    """A store does not what a store must do. `failed` has what was found, by the name of the check."""

    def __init__(self, failed: dict[str, str], passed: list[str]) -> None:
        lines = [f"{len(failed)} of {len(failed) + len(passed)} checks failed:"]
        lines += [f"- {name}: {what}" for name, what in failed.items()]
        super().__init__("\n".join(lines))
        self.failed, self.passed = failed, passed


class _Failed(Exception):
    """The store failed a check; the message says how."""


class _Skipped(Exception):
    """The check cannot be done on this store."""


def _that(holds: object, otherwise: str) -> None:
    if not holds:
        raise _Failed(otherwise)


def _token() -> str:
    return os.urandom(16).hex()


class _Player:
    """A store, and what it granted."""

    def __init__(self, store: Any, tag: str, namespace: str, clock: Any, again: Any) -> None:
        self._store, self._clock, self._again = store, clock, again
        self._names: Row = {"tag": tag, "namespace": namespace}
        self._held: list[Row] = []
        # Every range granted since the first check, by its tag or worker number.
        self._granted: dict[str, list[tuple[int, int, str]]] = {}
        self._noting = threading.Lock()
        self._latest, self._backwards = 0, ""
        self._answers = 0

    def can(self, check: Row) -> bool:
        return all(hasattr(self._store, verb) for verb in check["needs"])

    def play(self, check: Row) -> None:
        self._steps(check["steps"], {**self._names, "owner": f"conform-{_token()}"})

    def free(self) -> None:
        """Gives back what the check had, so that the next one finds free numbers."""
        while self._held:
            try:
                self._release(self._held.pop(), {}, self._store)
            except Exception:
                # A check may have given it back already, or let it expire.
                continue

    def _steps(self, steps: list[Row], env: Row) -> bool:
        """Whether all steps were played: a refusal that a step allows by `or` ends them."""
        return all(self._step(step, env) for step in steps)

    def _step(self, step: Row, env: Row) -> bool:
        match step:
            case {"let": name, "be": value}:
                env[name] = self._value(value, env)
            case {"that": condition, "else": otherwise}:
                got = self._value(condition[1], env), self._value(condition[2], env)
                _that(self._value(condition, env), f"{otherwise}, got {got[0]!r:.80} and {got[1]!r:.80}")
            case {"if": condition, "steps": steps}:
                return not self._value(condition, env) or self._steps(steps, env)
            case {"repeat": count, "steps": steps}:
                return all(self._steps(steps, env) for _ in range(count))
            case {"at_once": count, "steps": steps}:
                played = self._at_once(count, lambda: self._steps(steps, dict(env)))
                env[step.get("as", "")] = sum(played)
            case {"pass": ms}:
                self._pass(self._value(ms, env))
            case {"fill": ask, "as": name}:
                env[name] = self._fill(self._value(ask, env))
            case {"free": _}:
                self.free()
            case {"back": ms}:
                if self._clock is not None:
                    self._clock.step_wall(-ms)
            case {"check": name}:
                for check in CHECKS:
                    if check["name"] == name and self._clock is not None and self.can(check):
                        self.play(check)
            case _:
                return self._asked(step, env)
        return True

    def _asked(self, step: Row, env: Row) -> bool:
        verb = next(verb for verb in ("lease", "acquire", "renew", "release") if verb in step)
        store = self._store
        if step.get("of") == "again":
            if self._again is None:
                raise _Skipped
            store = self._again()
        subject, more = self._value(step[verb], env), self._value(step.get("with", {}), env)
        may_be, must_be = step.get("or"), step.get("refused")
        waits = may_be is None and must_be is None
        try:
            match verb:
                case "lease":
                    answer = self._lease(subject, store)
                case "acquire":
                    answer = self._acquire(subject, store, waits)
                case "renew":
                    answer = self._renew(subject, more, store)
                case _:
                    answer = self._release(subject, more, store)
        except LeafidError as error:
            if error.code == must_be or (error.code == may_be and "goes_on" in step):
                return True
            if error.code == may_be:
                return False
            if must_be is None:
                raise
            raise _Failed(f"it was refused with {error.code}, not {must_be}: {error}") from None
        if must_be is not None and "granted" in step:
            raise _Skipped
        _that(must_be is None, f"it was granted, not refused with {must_be}: {answer}")
        env[step.get("as", "")] = answer
        return True

    def _value(self, said: Any, env: Row) -> Any:
        match said:
            case "$fresh":
                return _token()
            case "$unknown":
                return f"conform-{_token()}"
            case "$backwards":
                return self._backwards
            case str() if said.startswith("$"):
                found: Any = env
                for name in said[1:].split("."):
                    _that(isinstance(found, dict) and name in found, f"an answer has no `{name}`: {found}")
                    found = found[name]
                return found
            case [str(name), one, other]:
                pair = self._value(one, env), self._value(other, env)
                return _OPERATORS[name](*pair)
            case dict():
                return {field: self._value(value, env) for field, value in said.items()}
            case _:
                return said

    def _lease(self, more: Row, store: Any) -> Row:
        ask = {"tag": self._names["tag"], "request": _token(), **more}
        return self._granting(store.lease_segment, ask, lambda _: f"tag {ask['tag']}", ask["request"])

    def _acquire(self, more: Row, store: Any, waits: bool) -> Row:
        """A window, after a wait where all numbers rest."""
        for _ in range(_TRIES if waits else 1):
            owner = f"conform-{_token()}"
            named = {"namespace": self._names["namespace"], "request": _token(), "owner": owner}
            ask = {**named, "length_ms": _LENGTH_MS, **more}
            try:
                window = self._granting(store.acquire, ask, _line(ask), ask["request"])
            except LeafidError as error:
                if error.code != "WORKERS_EXHAUSTED" or not waits:
                    raise
                self._pass(round((error.retry_after or 0.1) * 1_000) + 10)
            else:
                self._held.append(window)
                return window
        raise _Failed("no number of the namespace becomes free")

    def _renew(self, window: Row, more: Row, store: Any) -> Row:
        ask = {**self._of(window), "request": _token(), "have_until": window["end"], **more}
        longer = self._granting(store.renew, {"length_ms": _LENGTH_MS, **ask}, _line(ask), ask["key"])
        same = (longer["worker"], longer["start"]) == (window["worker"], ask["have_until"])
        _that(same, f"a renewal must go on where the window ends: {window} was renewed by {longer}")
        return longer

    def _release(self, window: Row, more: Row, store: Any) -> Row:
        ask = {**self._of(window), "unused_from": window["start"], **more}
        store.release(ask)
        # A store over HTTP does not say whether it was done.
        if ask["key"] == window["request"]:
            line = _line(ask)(window)
            with self._noting:
                granted = self._granted.get(line, [])
                ends = [min(end, ask["unused_from"]) if of == ask["key"] else end for _, end, of in granted]
                kept = zip(granted, ends, strict=True)
                self._granted[line] = [(start, end, of) for (start, _, of), end in kept if start < end]
        return {}

    def _of(self, window: Row) -> Row:
        named = {"namespace": self._names["namespace"], "key": window["request"]}
        return {**named, "store": window["store"], "worker": window["worker"]}

    def _fill(self, ask: Row) -> int:
        """Takes every number; when the first is free then, in ms."""
        for _ in range(_MOST + 1):
            try:
                self._acquire(ask, self._store, False)
            except LeafidError as error:
                if error.code != "WORKERS_EXHAUSTED":
                    raise
                return round((error.retry_after or 0) * 1_000)
        raise _Skipped

    def _granting(self, verb: Callable[[Row], Any], ask: Row, line: Callable[[Row], str], key: str) -> Row:
        """Two leases share nothing: what one has, of another key, nobody else gets. And time does not
        go back behind what the store had said before this was asked."""
        before_ms = self._latest
        answer = _read(_patiently(verb, ask), ask)
        start, end, now_ms = answer["start"], answer["end"], int(answer["now_ms"])
        with self._noting:
            self._answers += 1
            if now_ms < before_ms - _APART_MS:
                self._backwards = f"it said {before_ms} ms, then {now_ms}"
            self._latest = max(self._latest, now_ms)
            granted = self._granted.setdefault(line(answer), [])
            for one, other, of in granted:
                apart = of == key or end <= one or other <= start
                _that(apart, f"{line(answer)} {one}..{other} and {start}..{end} overlap: the same IDs twice")
            granted.append((start, end, key))
        return answer

    def _pass(self, ms: int) -> None:
        """Time passes: by hand, where the store has a clock for that."""
        if self._clock is None:
            time.sleep(ms / 1_000)
        else:
            self._clock.advance(ms)

    def _at_once(self, count: int, act: Callable[[], bool]) -> list[bool]:
        """What this many threads are given that all ask at the same time."""
        start = threading.Barrier(count)
        given: list[bool] = []
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
                # A slow machine is no hang: wait on while any call returns.
                answered = self._answers + len(given) + len(errors)
                _that(answered > seen, f"it does not answer within {_HANGS_S:g} s")
                seen = answered
                thread.join(_HANGS_S)
        if errors:
            raise errors[0]
        return given


def _line(ask: Row) -> Callable[[Row], str]:
    return lambda window: f"worker {window['worker']} of {ask['namespace']}"


def _patiently(verb: Callable[[Row], Any], ask: Row) -> Any:
    for left in range(_TRIES - 1, -1, -1):
        try:
            return verb(ask)
        except LeafidError as error:
            if error.code != "OVERLOADED" or left == 0:
                raise
    return None


def _read(answer: Any, ask: Row) -> Row:
    _that(isinstance(answer, dict), f"the answer is a `{type(answer).__name__}`, not a dict")
    for field in ("request", "store", "start", "end", "now_ms"):
        _that(field in answer, f"the answer has no `{field}`: {answer}")
    said, store = answer["request"], str(answer["store"])
    _that(said == ask["request"], f"the answer is to request `{said}`, not to `{ask['request']}`")
    _that(len(store) == 32, f"the store's id is `{store}`, not 32 hex digits")
    layout = answer.get("layout")
    if isinstance(layout, str):
        known = getattr(Layout, layout)
        fields = ("epoch_ms", "tick_ms", "time_bits", "worker_bits", "sequence_bits")
        layout = {field: getattr(known, field) for field in fields}
    return {**answer, "start": int(answer["start"]), "end": int(answer["end"]), "layout": layout}


def conform(
    store: Any,
    *,
    tag: str = "conform",
    namespace: str = "conform",
    clock: Any = None,
    again: Any = None,
) -> list[str]:
    """Checks that a store does what a store must do; the names of the checks that it passed.

    `store` is an object with the methods of a store, or a URL. It must have `tag` and `namespace`,
    which nobody else uses; they are created where the store has `create_tag` and `create_namespace`.
    A run leaves the tag stopped, as by a holder's proof: use a fresh one for the next. Where the store
    tells the time by a `leafid.testing.Clock`, pass it as `clock`: it is moved by hand. Else the checks
    wait, for a few seconds at most. `again` makes another object for the same store, as another process
    would have it.

    `DoesNotConform` tells every check that failed, and why.
    """
    store = _resolved(store)
    _create(store, "create_tag", tag, {})
    _create(store, "create_namespace", namespace, {"workers": (0, _NUMBERS)})
    player = _Player(store, tag, namespace, clock, again)
    failed: dict[str, str] = {}
    passed: list[str] = []
    for check in filter(player.can, CHECKS):
        try:
            player.play(check)
        except _Skipped:
            continue
        except _Failed as why:
            failed[check["name"]] = str(why)
        except Exception as error:
            failed[check["name"]] = f"`{type(error).__name__}: {error}` was raised"
        else:
            passed.append(check["name"])
        finally:
            player.free()
    if failed:
        raise DoesNotConform(failed, passed)
    return passed


def _resolved(store: Any) -> Any:
    if not isinstance(store, str):
        return store
    if store.startswith("memory:"):
        return MemoryStore()
    if store.startswith(("http://", "https://")):
        return HttpStore(store)
    from ._sql import open_store

    return open_store(store, create=False)


def _create(store: Any, verb: str, name: str, how: Row) -> None:
    """Makes a tag or a namespace where the store can, and where it is not there yet."""
    make = getattr(store, verb, None)
    if make is None:
        return
    # A store in memory has numbers of its own.
    how = {} if isinstance(store, MemoryStore) else {**how, "if_missing": True}
    try:
        make(name, **how)
    except LeafidError as error:
        if error.code not in ("TAG_EXISTS", "WORKER_INVALID"):
            raise
