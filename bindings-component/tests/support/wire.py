"""Converts the vectors, which have the wire's JSON, to values of the WIT and back.

A function of the component describes its records, with fields and widths. Python's wasmtime silently
truncates a number to its width, so this module refuses what does not fit.
"""

from __future__ import annotations

from typing import Any

from leafid_component import Leafid, Refused
from wasmtime.component import (
    S64,
    U8,
    U32,
    U64,
    Bool,
    OptionType,
    RecordType,
    String,
    TupleType,
    Variant,
)

Plain = dict[str, Any]

SAFE = 2**53 - 1
WIDTHS = {U8: (0, 2**8 - 1), U32: (0, 2**32 - 1), S64: (-SAFE, SAFE)}
# The wire's names of fields that have another name in the WIT.
CALLED = {"first": "from", "granted": "granted_ms", "now": "now_ms", "kept": "own"}
# The values of fields that are absent on the wire and not optional in the WIT.
ABSENT: Plain = {"tag": "unnamed", "namespace": "unnamed", "owner": "", "remaining": 2**63 - 1}
ABSENT |= dict.fromkeys(("sticky", "strict", "deleted"), False)
ABSENT |= dict.fromkeys(("position", "held_from", "reserved_until", "granted_ms"), 0)
# Required in a record with a store; elsewhere taken from `ABSENT` if absent.
SAID = {"tag", "namespace", "owner"}


def refuse(code: str = "request-invalid") -> Refused:
    return Refused({"code": code, "until": None})


def big(value: Any) -> int:
    """64 bits: decimal text."""
    canonical = isinstance(value, str) and value.isascii() and value.isdigit()
    if not canonical or (value[0] == "0" and value != "0") or int(value) >= 2**64:
        raise refuse()
    return int(value)


def token(value: Any) -> tuple[int, int]:
    if not isinstance(value, str) or len(value) != 32 or value.strip("0123456789abcdef"):
        raise refuse()
    return int(value[:16], 16), int(value[16:], 16)


class Wire:
    """Converts the wire's values for an instance."""

    def __init__(self, instance: Leafid) -> None:
        self.instance = instance

    def given(self, interface: str, name: str, at: int, value: Any) -> Any:
        """Converts the function's argument at this index."""
        function = self.instance.function(interface, name)
        return self.read(function.type(self.instance.store).params[at][1], value)

    def grant(self, kind: str, value: Any) -> Variant:
        """A store's answer to a generator of this kind."""
        function = self.instance.function("generators", "[method]generator.handle-grant")
        case = "segment" if kind == "segment" else "window"
        kinds = dict(function.type(self.instance.store).params[1][1].cases)
        return Variant(case, self.read(kinds[case], value))

    def read(self, kind: Any, value: Any, field: str = "") -> Any:
        if isinstance(kind, RecordType):
            if field == "layout" and isinstance(value, str):
                return self.instance.call("layouts", "named", value)
            # Worker numbers are plain numbers on the wire.
            small = dict.fromkeys(("start", "end"), U32()) if field == "workers" else {}
            return self.record({**dict(kind.fields), **small}, value)
        if isinstance(kind, OptionType):
            return None if value is None else self.read(kind.payload, value, field)
        if isinstance(kind, TupleType):
            return token(value)
        if isinstance(kind, U64):
            return big(value)
        if isinstance(kind, (Bool, String)):
            if not isinstance(value, bool if isinstance(kind, Bool) else str):
                raise refuse()
            return value
        least, most = WIDTHS[type(kind)]
        if type(value) is not int or not least <= value <= most:
            raise refuse()
        return value

    def record(self, fields: dict[str, Any], value: Any) -> Plain:
        if not isinstance(value, dict):
            raise refuse()
        read: Plain = {}
        for name, kind in fields.items():
            called = CALLED.get(name, name.replace("-", "_"))
            # The ends of a grant are beside its other fields on the wire.
            item = value if name in ("range", "ticks") else value.get(called)
            if item is None and not isinstance(kind, OptionType):
                if called not in ABSENT or (called in SAID and "store" in fields):
                    raise refuse()
                read[name] = ABSENT[called]
            else:
                read[name] = self.read(kind, item, called)
        return read


def shown(value: Any) -> Any:
    """Converts a record to the wire's form; 64-bit numbers stay numbers."""
    if not isinstance(value, dict):
        return value
    out: Plain = {}
    for field, item in value.items():
        if field in ("request", "store", "key") and item is not None:
            out[field] = f"{item[0]:016x}{item[1]:016x}"
        elif field in ("range", "ticks"):
            out.update(item)
        elif field in ("now", "granted", "time", "last"):
            out[f"{field}_ms"] = item
        elif field in ("code", "last_code") and item is not None:
            out[field] = code(item)
        else:
            out[field] = shown(item)
    return out


def code(name: str) -> str:
    return name.upper().replace("-", "_")


def enum(name: str) -> str:
    return name.lower().replace("_", "-")
