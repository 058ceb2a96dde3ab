"""`leafid.testing.conform`: checks that a store does what it must.

The cases are data, the same for every language; this module plays them.
"""

import json
import operator
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from ._native import CONFORM_CASES, Layout, MemoryStore
from .errors import LeafidError, TagExistsError, WorkerInvalidError

__all__ = ["DoesNotConform", "conform"]

Row = dict[str, Any]

_DATA: Row = json.loads(CONFORM_CASES)
CASES: list[Row] = _DATA["cases"]
# The tolerated difference between the clocks of a store's servers.
_APART_MS = 1_000
# A store without an answer for this long counts as hanging.
_HANGS_S = 60.0
# The most waits for a worker number, or repeats of a request to an overloaded store.
_TRIES = 10

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<<": operator.lshift,
}


class DoesNotConform(AssertionError):
    """A store failed cases. `failed` maps the name of each to what was found."""

    def __init__(self, failed: dict[str, str], passed: list[str]) -> None:
        lines = [f"{len(failed)} of {len(failed) + len(passed)} checks failed:"]
        lines += [f"- {name}: {what}" for name, what in failed.items()]
        super().__init__("\n".join(lines))
        self.failed, self.passed = failed, passed


class _Failed(Exception):
    """The store failed a case; the message says how."""


class _Skipped(Exception):
    """The case cannot be played on this store."""


def _token() -> str:
    return os.urandom(16).hex()


class _Player:
    """Plays cases on a store, and records every grant."""

    def __init__(self, store: Any, names: Row, clock: Any, again: Any) -> None:
        self._store, self._names, self._clock, self._again = store, names, clock, again
        self._held: list[Row] = []
        # Every range granted since the first case: its line (a tag or a worker number), start, end and key.
        self._granted: list[Row] = []
        self._noting = threading.Lock()
        self._latest_ms = 0

    def play(self, case: Row) -> None:
        try:
            self._steps(case["steps"], {**self._names, "key": _token(), "owner": f"conform-{_token()}"})
        finally:
            while self._held:
                # The window may have been given back already, or have ended.
                with suppress(Exception):
                    self._ask({"release": {}, "of": "w"}, {**self._names, "w": self._held.pop()})

    def _steps(self, steps: list[Row], env: Row) -> None:
        for step in steps:
            match step:
                case {"that": _}:
                    self._that(step, env)
                case {"pass": ms}:
                    self._pass(self._value(ms, env))
                case {"repeat": count, "steps": steps}:
                    for _ in range(count):
                        self._steps(steps, env)
                case {"at_once": count, "steps": steps}:
                    self._at_once(count, steps, env)
                case _:
                    self._ask(step, env)

    def _that(self, check: Row, env: Row) -> None:
        if not self._value(check["that"], env):
            left, _, right = check["that"].rsplit(" ", 2)
            raise _Failed(f"{check['else']}, got {self._value(left, env)!r:.80} and {self._value(right, env)!r:.80}")

    def _value(self, said: Any, env: Row) -> Any:
        """The value of a text with `$`: operators apply from left to right."""
        if isinstance(said, dict):
            return {field: self._value(value, env) for field, value in said.items()}
        if not isinstance(said, str):
            return said
        if " " in said:
            left, name, right = said.rsplit(" ", 2)
            return _OPERATORS[name](self._value(left, env), self._value(right, env))
        if not said.startswith("$"):
            return int(said)
        found: Any = {**env, "fresh": _token(), "unknown": f"conform-{_token()}", "held": len(self._held)}
        for name in said[1:].split("."):
            if not isinstance(found, dict) or name not in found:
                raise _Failed(f"an answer has no `{name}`: {found!r:.80}")
            found = found[name]
        return found

    def _ask(self, step: Row, env: Row) -> None:
        verb = next(verb for verb in _DATA["asks"] if verb in step)
        ask = self._value({**_DATA["asks"][verb], **step[verb]}, {**env, "of": env.get(step.get("of", ""))})
        store = self._again() if "again" in step else self._store
        refused, name = step.get("refused"), step.get("as", "")
        # No answer to a later request may be older, except by the difference between servers' clocks.
        before = {"before_ms": self._latest_ms - _APART_MS}
        for left in reversed(range(_TRIES)):
            try:
                answer = getattr(store, verb)(ask)
                break
            except LeafidError as error:
                wait_ms = round((error.retry_after or 0) * 1_000)
                if error.code in (refused, step.get("or")):
                    env[name] = {"wait_ms": wait_ms}
                    return
                is_busy = error.code == "OVERLOADED" or (error.code == "WORKERS_EXHAUSTED" and refused is None)
                if left == 0 or not is_busy:
                    what = f"was refused with {error.code}: {error}"
                    raise _Failed(f"`{verb}` {what}; it must be {refused or 'granted'}") from None
                self._pass(wait_ms + 10)
        if refused is not None:
            what = f"`{verb}` was granted, not refused with {refused}: {answer}"
            raise _Skipped if "granted" in step else _Failed(what)
        with self._noting:
            env[name] = self._noted(verb, ask, answer, before)

    def _noted(self, verb: str, ask: Row, given: Any, before: Row) -> Row:
        """Records a grant, and checks that it overlaps no other key's, and that time has not gone back."""
        key = ask["request"] if verb in ("lease_segment", "acquire") else ask["key"]
        if verb == "release":
            for had in self._granted:
                if had["key"] == key:
                    had["end"] = min(had["end"], ask["unused_from"])
            return {}
        of = {**before, "ask": ask, "answer": given}
        numbers = {field: int(self._value(f"$answer.{field}", of)) for field in ("start", "end", "now_ms")}
        if len(self._value("$answer.store", of)) != 32:
            raise _Failed(f"the store's id is `{given['store']}`, not 32 hex digits")
        answer = {**given, **numbers, "layout": _layout(given.get("layout"))}
        for check in _DATA["answers"][verb]:
            self._that(check, {**of, "answer": answer})
        self._latest_ms = max(self._latest_ms, answer["now_ms"])
        line = f"tag {answer['tag']}" if verb == "lease_segment" else f"worker {answer['worker']}"
        start, end = answer["start"], answer["end"]
        for had in self._granted:
            both = max(had["start"], start) < min(had["end"], end)
            if both and had["line"] == line and had["key"] != key:
                ranges = f"{had['start']}..{had['end']} and {start}..{end}"
                raise _Failed(f"{line} {ranges} overlap: the same IDs twice")
        self._granted.append({"line": line, "key": key, "start": start, "end": end})
        if verb == "acquire":
            self._held.append(answer)
        return answer

    def _pass(self, ms: int) -> None:
        """Lets time pass: moves the store's test clock, or else sleeps."""
        if self._clock is None:
            time.sleep(ms / 1_000)
        elif ms < 0:
            self._clock.step_wall(ms)
        else:
            self._clock.advance(ms)

    def _at_once(self, count: int, steps: list[Row], env: Row) -> None:
        """Plays the steps in `count` threads that begin at the same time."""
        start, ends = threading.Barrier(count), SimpleQueue[BaseException | None]()

        def run() -> None:
            start.wait()
            try:
                ends.put(self._steps(steps, dict(env)))
            except BaseException as error:
                ends.put(error)

        for _ in range(count):
            threading.Thread(target=run, daemon=True).start()
        try:
            errors = [ends.get(timeout=_HANGS_S) for _ in range(count)]
        except Empty:
            raise _Failed(f"it does not answer within {_HANGS_S:g} s") from None
        for error in filter(None, errors):
            raise error


def _layout(said: Any) -> Any:
    """The fields of a layout, which may be named."""
    if not isinstance(said, str):
        return said
    fields = ("epoch_ms", "tick_ms", "time_bits", "worker_bits", "sequence_bits")
    return {field: getattr(getattr(Layout, said), field) for field in fields}


def conform(
    store: Any,
    *,
    tag: str = "conform",
    namespace: str = "conform",
    clock: Any = None,
    again: Any = None,
) -> list[str]:
    """Checks that a store does what it must, and returns the names of the cases that it passed.

    `store` is an object with the methods of a store. It must have `tag` and `namespace`, which nothing
    else uses; they are created where the store has `create_tag` and `create_namespace`.
    A tick of the namespace lasts 500 ms at most. A run leaves the tag stopped, as after a claim of a
    holder: use a new tag for the next run. If the store reads the time from a `leafid.testing.Clock`, pass
    it as `clock`, and the cases move it. Otherwise they wait, for a few seconds at most. `again` makes
    another object for the same store, as another process would have it.

    Raises `DoesNotConform` with every case that failed, and why.
    """
    # A store in memory creates them on first use.
    if not isinstance(store, MemoryStore):
        for verb, name, how in [("create_tag", tag, {}), ("create_namespace", namespace, {"workers": (0, 4)})]:
            with suppress(TagExistsError, WorkerInvalidError):
                getattr(store, verb, lambda *_, **__: None)(name, if_missing=True, **how)
    player = _Player(store, {"tag": tag, "namespace": namespace}, clock, again)
    means = {"again": again is not None, "clock": clock is not None}
    failed: dict[str, str] = {}
    passed: list[str] = []
    for case in CASES:
        if not all(means.get(need, hasattr(store, need)) for need in case["needs"]):
            continue
        try:
            player.play(case)
            passed.append(case["name"])
        except _Skipped:
            continue
        except _Failed as why:
            failed[case["name"]] = str(why)
        except Exception as error:
            failed[case["name"]] = f"`{type(error).__name__}: {error}` was raised"
    if failed:
        raise DoesNotConform(failed, passed)
    return passed
