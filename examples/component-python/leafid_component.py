"""`leafid.wasm` in Python, over the wasmtime package: its interfaces as calls, its records as dicts.

Python's wasmtime silently truncates a number to its width: check numbers from elsewhere.
"""

import secrets
import sys
import time
from functools import cache

from wasmtime import Engine, Store
from wasmtime.component import Component, Linker, Record, Variant

PACKAGE, VERSION = "leafid:generator/", "@0.1.0"
CLOCK, RANDOM = "wasi:clocks/monotonic-clock@0.2.0", "wasi:random/random@0.2.0"
STORE = f"{PACKAGE}store{VERSION}"
ENGINE = Engine()


class Refused(Exception):
    """A refusal, a problem or a failure: its code, and until when, what is wrong, or how long to wait."""

    def __init__(self, given):
        super().__init__(given["code"])
        self.given, self.code = given, given["code"]


@cache
def compiled(path):
    return Component.from_file(ENGINE, path)


def record(value):
    """Converts dicts to records, whose names have hyphens, and pairs of a case and its value to variants."""
    if isinstance(value, dict):
        made = Record()
        for name, item in value.items():
            setattr(made, name.replace("_", "-"), record(item))
        return made
    if isinstance(value, Variant):
        return Variant(value.tag, record(value.payload))
    return value


def plain(value):
    """Converts records to dicts, and a tagged result to its answer or refusal."""
    if isinstance(value, Record):
        value = {name.replace("-", "_"): plain(item) for name, item in vars(value).items()}
        if value.keys() in ({"code", "until"}, {"code", "message"}, {"code", "retry_after_ms"}):
            raise Refused(value)
    elif isinstance(value, Variant) and value.tag in ("ok", "err"):
        return plain(value.payload)
    elif isinstance(value, tuple) and isinstance(value[0], Record):
        return tuple(map(plain, value))
    return value


def verb(name, function):
    """A store's verb as an import. An exception becomes a failure: a trap would end the instance."""

    def answer(_, ask):
        try:
            given, tag = record(function(plain(ask))), "ok"
        except Refused as refused:
            retry = refused.given.get("retry_after_ms")
            given, tag = record({"code": refused.given["code"], "retry_after_ms": retry}), "err"
        except Exception as error:  # noqa: BLE001
            print(f"the store failed: {error!r}", file=sys.stderr)
            given, tag = record({"code": "store-unavailable", "retry_after_ms": None}), "err"
        # A result with two unlike types is passed bare.
        if name == "give-back":
            return None if tag == "ok" else given
        return Variant(tag, given)

    return answer


class Leafid:
    """An instance of a component. `store` has the verbs of the imported store, if there is one; `imports`
    replaces imports; instances that call each other share their `memory`.
    """

    def __init__(self, path, store=None, imports=None, memory=None):
        component = compiled(path)
        linker, self.store, self.functions = Linker(ENGINE), memory or Store(ENGINE), {}
        linker.allow_shadowing = True
        linker.define_unknown_imports_as_traps(component)
        imports = {
            CLOCK: {"now": lambda _: time.monotonic_ns()},
            RANDOM: {"get-random-u64": lambda _: secrets.randbits(64)},
            STORE: {n: verb(n, f) for n, f in (store or {}).items()},
            **(imports or {}),
        }
        with linker.root() as root:
            for interface, functions in imports.items():
                with root.add_instance(interface) as instance:
                    for name, function in functions.items():
                        instance.add_func(name, function)
        self.instance = linker.instantiate(self.store, component)

    def function(self, interface, name):
        function = self.functions.get((interface, name))
        if function is None:
            index = self.instance.get_export_index(self.store, f"{PACKAGE}{interface}{VERSION}")
            index = self.instance.get_export_index(self.store, name, index)
            function = self.instance.get_func(self.store, index)
            self.functions[interface, name] = function
        return function

    def call(self, interface, name, *args):
        return plain(self.function(interface, name)(self.store, *map(record, args)))

    def generator(self, kind, **config):
        """A generator: `kind` is `segment` or `snowflake`."""
        fields = ["step", "max_step", "max_growth", "short_ms", "long_ms", "ask_below_percent"]
        if kind == "snowflake":
            fields = ["layout", "length_ms", "max_ahead_ms", "spread"]
            config = {"sticky": False, "strict": False, **config}
        config = {**dict.fromkeys(fields), **config}
        return self.made("generators", "generator", kind, config)

    def made(self, interface, name, maker, *args):
        handle = self.call(interface, f"[static]{name}.{maker}", *args)
        return Resource(self, interface, name, handle)


class Resource:
    """The methods of a resource, such as a generator, by name."""

    def __init__(self, leafid, interface, name, handle):
        self.leafid, self.interface, self.name, self.handle = leafid, interface, name, handle

    def __getattr__(self, verb):
        name = f"[method]{self.name}.{verb.replace('_', '-')}"
        return lambda *args: self.leafid.call(self.interface, name, self.handle, *args)
