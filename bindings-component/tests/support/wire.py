"""What stands in the vectors, which is the wire's JSON, as the records of the WIT and back.

A WIT record says of itself which fields it has and of which width; Python's wasmtime cuts a number to
its width without a word. So a host reads strictly, here as everywhere: what does not fit is refused.
"""

from __future__ import annotations

from typing import Any, Callable

from support.component import Cases, Plain, Refused

EXACT = 2**53 - 1
NEED = object()
Kind = Callable[[Any], Any]
Fields = list[tuple[str, Kind, Any]]


def refuse() -> Refused:
    return Refused({"code": "request-invalid", "until": None})


def whole(least: int, most: int) -> Kind:
    def read(value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            raise refuse()
        return value

    return read


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


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise refuse()
    return value


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise refuse()
    return value


def read(source: Any, fields: Fields) -> Plain:
    if not isinstance(source, dict):
        raise refuse()
    record = {}
    for name, kind, absent in fields:
        value = source.get(name)
        if value is None and absent is NEED:
            raise refuse()
        record[name] = absent if value is None else kind(value)
    return record


u8, u32 = whole(0, 2**8 - 1), whole(0, 2**32 - 1)
millis = whole(-EXACT, EXACT)


class Wire:
    """Reads the wire's objects; `named` gives a layout by its name."""

    def __init__(self, named: Callable[[str], Plain]) -> None:
        self.named = named
        self.segment_ask: Fields = [
            ("tag", text, NEED),
            ("request", token, NEED),
            ("store", token, None),
            ("step", u32, None),
            ("at_least", u32, None),
            ("exactly", u32, None),
            ("have_until", big, None),
        ]
        self.acquire_ask: Fields = [
            ("namespace", text, NEED),
            ("request", token, NEED),
            ("store", token, None),
            ("owner", text, NEED),
            ("layout", self.layout, None),
            ("length_ms", u32, None),
            ("sticky", flag, False),
            ("strict", flag, False),
        ]
        self.renew_ask: Fields = [
            ("namespace", text, NEED),
            ("request", token, NEED),
            ("store", token, NEED),
            ("worker", u32, NEED),
            ("key", token, NEED),
            ("have_until", big, NEED),
            ("length_ms", u32, None),
        ]
        self.release: Fields = [
            ("namespace", text, NEED),
            ("store", token, NEED),
            ("worker", u32, NEED),
            ("key", token, NEED),
            ("unused_from", big, NEED),
        ]
        self.tag_row: Fields = [
            ("max_id", big, NEED),
            ("step", u32, NEED),
            ("max_step", u32, NEED),
            ("deleted", flag, False),
            ("until", big, None),
            ("claimed_until", big, None),
        ]
        self.segment_config: Fields = [
            ("tag", text, NEED),
            ("step", u32, None),
            ("max_step", u32, None),
            ("max_growth", u32, None),
            ("short_ms", u32, None),
            ("long_ms", u32, None),
            ("ask_below_percent", u8, None),
        ]
        self.snowflake_config: Fields = [
            ("namespace", text, NEED),
            ("owner", text, NEED),
            ("layout", self.layout, None),
            ("length_ms", u32, None),
            ("sticky", flag, False),
            ("strict", flag, False),
            ("max_ahead_ms", u32, None),
            ("spread", u32, None),
        ]
        self.carryover: Fields = [
            ("store", token, None),
            ("position", big, 0),
            ("have_until", big, None),
        ]

    def layout(self, value: Any) -> Plain:
        if isinstance(value, str):
            return self.named(value)
        fields = ("time_bits", "worker_bits", "sequence_bits")
        clock: Fields = [("epoch_ms", millis, NEED), ("tick_ms", u32, NEED)]
        return read(value, clock + [(field, u8, NEED) for field in fields])

    def workers(self, value: Any) -> Plain:
        return read(value, [("start", u32, NEED), ("end", u32, NEED)])

    def new_tag(self, wanted: Any) -> Plain:
        fields: Fields = [("tag", text, "unnamed"), ("from", big, None)]
        fields += [("step", u32, None), ("max_step", u32, None), ("until", big, None)]
        tag = read(wanted, fields)
        return {**tag, "first": tag["from"]}

    def new_namespace(self, wanted: Any) -> Plain:
        return read(
            wanted,
            [
                ("namespace", text, "unnamed"),
                ("layout", self.layout, NEED),
                ("workers", self.workers, None),
                ("max_window_ms", u32, None),
            ],
        )

    def worker_row(self, row: Any) -> Plain:
        fields: Fields = [
            ("worker", u32, NEED),
            ("owner", text, ""),
            ("sticky", flag, False),
            ("key", token, None),
            ("held_from", big, 0),
            ("reserved_until", big, 0),
            ("granted_ms", millis, 0),
        ]
        read_row = read(row, fields)
        return {**read_row, "granted": read_row["granted_ms"]}

    def grant(self, kind: str, grant: Any) -> Cases:
        """A store's answer to a generator of this kind."""
        fields: Fields = [("request", token, NEED), ("store", token, NEED), ("now_ms", millis, NEED)]
        fields += [("start", big, NEED), ("end", big, NEED)]
        if kind == "segment":
            fields += [("tag", text, NEED), ("step", u32, NEED), ("max_step", u32, NEED)]
            fields += [("remaining", big, 2**63 - 1)]
        else:
            fields += [("worker", u32, NEED), ("layout", self.layout, NEED)]
            fields += [("max_window_ms", u32, NEED)]
        given = read(grant, fields)
        span = {"start": given["start"], "end": given["end"]}
        given.update(now=given["now_ms"], range=span, ticks=span)
        return Cases(("segment" if kind == "segment" else "window", given))


TOKENS = {"request", "store", "key"}


def shown(value: Any) -> Any:
    """A record as it stands on the wire; 64-bit numbers stay numbers."""
    if not isinstance(value, dict):
        return value
    out: Plain = {}
    for field, item in value.items():
        if field in TOKENS and item is not None:
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
