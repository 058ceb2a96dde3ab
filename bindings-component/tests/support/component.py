"""A component for Python: its interfaces as objects, its records as dicts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Callable

from wasmtime import Engine, Store
from wasmtime.component import Component, Linker, Record, Variant

PACKAGE, VERSION = "leafid:generator/", "@0.1.0"
CLOCK = "wasi:clocks/monotonic-clock@0.2.0"
RANDOM = "wasi:random/random@0.2.0"
STORE = f"{PACKAGE}store{VERSION}"
ENGINE = Engine()

Plain = dict[str, Any]
Host = dict[str, dict[str, Callable[..., Any]]]


class Refused(Exception):
    """A refusal as the component returned it."""

    def __init__(self, refusal: Plain) -> None:
        super().__init__(refusal["code"])
        self.code: str = refusal["code"]
        self.until: int | None = refusal.get("until")
        self.message: str | None = refusal.get("message")


@lru_cache
def compiled(path: Path) -> Component:
    return Component.from_file(ENGINE, str(path))


def instantiate(path: Path, host: Host, store: Store | None = None) -> Instance:
    """Makes an instance with these functions as imports; a missing import traps."""
    store = store or Store(ENGINE)
    component = compiled(path)
    linker = Linker(ENGINE)
    linker.allow_shadowing = True
    linker.define_unknown_imports_as_traps(component)
    with linker.root() as root:
        for interface, functions in host.items():
            with root.add_instance(interface) as instance:
                for name, function in functions.items():
                    instance.add_func(name, function)
    return Instance(store, linker.instantiate(store, component))


class Instance:
    """An instance: `instance.call("text", "to-decimal", 5)`."""

    def __init__(self, store: Store, instance: Any) -> None:
        self.store, self.instance = store, instance
        self._functions: dict[tuple[str, str], Any] = {}

    def function(self, interface: str, name: str) -> Any:
        found = self._functions.get((interface, name))
        if found is None:
            index = self.instance.get_export_index(self.store, f"{PACKAGE}{interface}{VERSION}")
            index = self.instance.get_export_index(self.store, name, index)
            found = self._functions[interface, name] = self.instance.get_func(self.store, index)
        return found

    def call(self, interface: str, name: str, *args: Any) -> Any:
        return answer(self.function(interface, name)(self.store, *map(wit, args)))

    def generator(self, kind: str, config: Plain) -> Generator:
        return Generator(self, self.call("generators", f"[static]generator.{kind}", config))

    def scrambler(self, key: bytes, tag: str, prefix: str | None, alphabet: str) -> Scrambler:
        given = key, tag, prefix, alphabet
        return Scrambler(self, self.call("public-ids", "[static]scrambler.make", *given))


class Resource:
    """A resource with its methods, named with `_` for `-`."""

    INTERFACE, NAME = "", ""

    def __init__(self, instance: Instance, handle: Any) -> None:
        self.instance, self.handle = instance, handle

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        name = f"[method]{self.NAME}.{verb.replace('_', '-')}"
        return lambda *args: self.instance.call(self.INTERFACE, name, self.handle, *args)

    def drop(self) -> None:
        self.handle.drop(self.instance.store)


class Generator(Resource):
    INTERFACE, NAME = "generators", "generator"


class Scrambler(Resource):
    INTERFACE, NAME = "public-ids", "scrambler"


class Cases(tuple):
    """Name and payload of a case, for variants with cases of the same Python type."""


def wit(value: Any) -> Any:
    """Converts dicts to records, `Cases` to variants."""
    if isinstance(value, dict):
        record = Record()
        for field, item in value.items():
            setattr(record, field.replace("_", "-"), wit(item))
        return record
    if isinstance(value, Cases):
        return Variant(value[0], wit(value[1]))
    if isinstance(value, tuple):
        return tuple(map(wit, value))
    return value


def plain(value: Any) -> Any:
    """Converts records to dicts, variants to `Cases`."""
    if isinstance(value, Record):
        return {field.replace("-", "_"): plain(item) for field, item in vars(value).items()}
    if isinstance(value, Variant):
        return Cases((value.tag, plain(value.payload)))
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value)) if value and not isinstance(value[0], int) else value
    return value


def answer(value: Any) -> Any:
    """Returns the result of a call, or raises its refusal."""
    given = plain(value)
    if isinstance(given, Cases) and given[0] in ("ok", "err"):
        if given[0] == "err":
            raise Refused(given[1])
        return given[1]
    if isinstance(given, dict) and given.keys() in ({"code", "until"}, {"code", "message"}):
        raise Refused(given)
    return given
