"""What stands in the vectors, which is the wire's JSON, as the records of the WIT and back.

A WIT record says of itself which fields it has and of which width; Python's wasmtime cuts a number to
its width without a word. So a host reads strictly, here as everywhere: what does not fit is refused.
"""

from __future__ import annotations

from typing import Any, Callable

from support.component import Cases, Plain, Refused

Kind = Callable[[Any], Any]


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


def typed(kind: type) -> Kind:
    def read(value: Any) -> Any:
        if not isinstance(value, kind):
            raise refuse()
        return value

    return read


U8, U32, MILLIS = whole(0, 2**8 - 1), whole(0, 2**32 - 1), whole(1 - 2**53, 2**53 - 1)
TOKENS = {"request", "store", "key"}
BIG = """max_id until claimed_until from start end have_until unused_from position remaining
    held_from reserved_until"""
# What a field is, by its name; any other is of 32 bits.
KINDS: dict[str, Kind] = {
    **dict.fromkeys(("tag", "namespace", "owner"), typed(str)),
    **dict.fromkeys(TOKENS, token),
    **dict.fromkeys(BIG.split(), big),
    **dict.fromkeys(("time_bits", "worker_bits", "sequence_bits", "ask_below_percent"), U8),
    **dict.fromkeys(("sticky", "strict", "deleted"), typed(bool)),
    **dict.fromkeys(("epoch_ms", "now_ms", "granted_ms"), MILLIS),
}
# What an optional field is that is absent; any other is none.
ABSENT: Plain = {"tag": "unnamed", "namespace": "unnamed", "owner": "", "remaining": 2**63 - 1}
ABSENT |= dict.fromkeys(("sticky", "strict", "deleted"), False)
ABSENT |= dict.fromkeys(("position", "held_from", "reserved_until", "granted_ms"), 0)

# The fields of each record, those that may be absent with a `?`.
FIELDS = {
    "segment_ask": "tag request store? step? at_least? exactly? have_until?",
    "acquire_ask": "namespace request store? owner layout? length_ms? sticky? strict?",
    "renew_ask": "namespace request store worker key have_until length_ms?",
    "release": "namespace store worker key unused_from",
    "tag_row": "max_id step max_step deleted? until? claimed_until?",
    "worker_row": "worker owner? sticky? key? held_from? reserved_until? granted_ms?",
    "segment_config": "tag step? max_step? max_growth? short_ms? long_ms? ask_below_percent?",
    "snowflake_config": """namespace owner layout? length_ms? sticky? strict? max_ahead_ms?
        spread?""",
    "carryover": "store? position? have_until?",
    "layout": "epoch_ms tick_ms time_bits worker_bits sequence_bits",
    "new_tag": "tag? from? step? max_step? until?",
    "new_namespace": "namespace? layout workers? max_window_ms?",
    "segment_grant": "request store now_ms start end tag step max_step remaining?",
    "snowflake_grant": "request store now_ms start end worker layout max_window_ms",
}


class Wire:
    """Reads the wire's objects; `named` gives a layout by its name."""

    def __init__(self, named: Callable[[str], Plain]) -> None:
        self.named = named

    def read(self, source: Any, record: str) -> Plain:
        """The fields of a record of this name."""
        kinds = {**KINDS, "layout": self.layout, "workers": workers}
        return {name: given(source, name, kinds, may) for name, may in names(FIELDS[record])}

    def layout(self, value: Any) -> Plain:
        return self.named(value) if isinstance(value, str) else self.read(value, "layout")

    def new_tag(self, wanted: Any) -> Plain:
        tag = self.read(wanted, "new_tag")
        return {**tag, "first": tag["from"]}

    def worker_row(self, row: Any) -> Plain:
        read_row = self.read(row, "worker_row")
        return {**read_row, "granted": read_row["granted_ms"]}

    def grant(self, kind: str, grant: Any) -> Cases:
        """A store's answer to a generator of this kind."""
        read = self.read(grant, f"{kind}_grant")
        span = {"start": read["start"], "end": read["end"]}
        read.update(now=read["now_ms"], range=span, ticks=span)
        return Cases(("segment" if kind == "segment" else "window", read))


def names(fields: str) -> list[tuple[str, bool]]:
    """Each field, and whether it may be absent."""
    return [(name.removesuffix("?"), name.endswith("?")) for name in fields.split()]


def given(source: Any, name: str, kinds: dict[str, Kind], may_be_absent: bool) -> Any:
    value = source.get(name) if isinstance(source, dict) else None
    if value is not None:
        return kinds.get(name, U32)(value)
    if not may_be_absent or not isinstance(source, dict):
        raise refuse()
    return ABSENT.get(name)


def workers(value: Any) -> Plain:
    return {end: given(value, end, {}, False) for end in ("start", "end")}


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
