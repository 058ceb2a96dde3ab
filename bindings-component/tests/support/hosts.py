"""Hosts of a component: with a settable clock, seeded randomness, and a component as store."""

from __future__ import annotations

import random
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator

import pytest
from leafid_component import CLOCK, PACKAGE, RANDOM, STORE, VERSION, Leafid, Refused, Resource
from pytest import ExceptionInfo
from wasmtime.component import Record

from support.places import DIST, MADE

WALL = "wasi:clocks/wall-clock@0.2.0"
STORE_VERBS = ("lease-segment", "acquire", "renew", "give-back")
REGISTRY_VERBS = (
    "create-tag", "create-namespace", "lease-segment", "acquire", "renew", "give-back",
    "is-kept-from",
)  # fmt: skip


def forwarded(instance: Leafid, interface: str, verbs: tuple[str, ...]) -> dict[str, Any]:
    """Uses functions of one component as the imports of another."""
    functions = {verb: instance.function(interface, verb) for verb in verbs}

    def forward(function: Any) -> Callable[..., Any]:
        return lambda context, *args: function(context, *args)

    return {verb: forward(function) for verb, function in functions.items()}


class Host:
    """One process, with `ms` as its clock, the given store, and seeded randomness."""

    def __init__(self, seed: int = 1, store: Leafid | None = None) -> None:
        self.ms, self.wall_ms = 1_000, 1_800_000_000_000
        self._random = random.Random(seed)
        self.draw: Callable[[], int] = lambda: self._random.getrandbits(64)
        self.clock: Callable[[], int] = lambda: self.ms
        self.store = store or self.memory()
        self.verbs = forwarded(self.store, "store", STORE_VERBS)
        imports, memory = self.imports(), self.store.store
        self.instance = Leafid(DIST / "leafid.wasm", imports=imports, memory=memory)

    def memory(self) -> Leafid:
        """A store that is a component, over the registry of the pure one."""
        pure = Leafid(DIST / "leafid-pure.wasm")
        host = {
            WALL: {"now": lambda _: self.time()},
            RANDOM: {"get-random-u64": lambda _: self._random.getrandbits(64)},
            f"{PACKAGE}registry{VERSION}": forwarded(pure, "registry", REGISTRY_VERBS),
        }
        return Leafid(MADE / "store.wasm", imports=host, memory=pure.store)

    def time(self) -> Any:
        time = Record()
        time.seconds, time.nanoseconds = self.wall_ms // 1_000, self.wall_ms % 1_000 * 1_000_000
        return time

    def imports(self) -> Any:
        def verb(name: str) -> Callable[..., Any]:
            return lambda context, *args: self.verbs[name](context, *args)

        return {
            CLOCK: {"now": lambda _: self.clock() * 1_000_000},
            RANDOM: {"get-random-u64": lambda _: self.draw()},
            STORE: {name: verb(name) for name in STORE_VERBS},
        }

    def passes(self, ms: int) -> None:
        self.ms += ms
        self.wall_ms += ms

    def segment(self, **config: Any) -> Resource:
        return self.instance.generator("segment", **{"tag": "orders", **config})

    def snowflake(self, **config: Any) -> Resource:
        default = {"namespace": "default", "owner": "host/1"}
        return self.instance.generator("snowflake", **{**default, **config})


def draw(host: Host, generator: Resource, n: int, at_once: int = 50) -> list[int]:
    """Draws this many IDs as a host does: sends the asks that are due, and waits after refusals."""
    ids: list[int] = []
    deadline = time.monotonic() + 240
    while len(ids) < n:
        assert time.monotonic() < deadline, f"{len(ids)} of {n} IDs in four minutes"
        try:
            some = min(at_once, n - len(ids))
            ids += generator.fill(some) if some > 1 else [generator.next()]
        except Refused as refused:
            if not generator.refill():
                stance = generator.stance(refused.given)
                assert not isinstance(stance, str), stance
                host.passes(max(1, (stance or 0) - host.ms))
        if generator.wants_ask():
            generator.refill()
    return ids


@contextmanager
def refuses(*codes: str) -> Iterator[ExceptionInfo[Refused]]:
    """Checks that a call is refused with one of these codes."""
    with pytest.raises(Refused) as refused:
        yield refused
    assert refused.value.code in codes


def duplicates(ids: list[int]) -> int:
    return len(ids) - len(set(ids))
