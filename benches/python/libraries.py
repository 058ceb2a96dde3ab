"""leafid, and four libraries that make 64-bit IDs, each as its own documentation has it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

# `None` where the library has none to give at this moment.
Draw = Callable[[], "int | None"]


def leafid_segment(store: str) -> Draw:
    return import_module("leafid").Segment("bench", store, create=True).next


def leafid_snowflake(store: str) -> Draw:
    return import_module("leafid").Snowflake("bench", store, create=True).next


def sonyflake_turbo(_store: str) -> Draw:
    return import_module("sonyflake_turbo").SonyFlake(1, start_time=1_700_000_000).__next__


def sonyflake_turbo_of_many(_store: str) -> Draw:
    """One number has 25 IDs in a millisecond, and sleeps then."""
    numbers = range(1, 4_097)
    return import_module("sonyflake_turbo").SonyFlake(*numbers, start_time=1_700_000_000).__next__


def snowflake_id(_store: str) -> Draw:
    return import_module("snowflake").SnowflakeGenerator(1).__next__


def flakeid(_store: str) -> Draw:
    return import_module("flakeid").SnowflakeGenerator().next_id


def snowflake_id_toolkit(_store: str) -> Draw:
    return import_module("snowflake_id_toolkit").TwitterSnowflakeIDGenerator(1).generate_next_id


# Name, package, how it is used, and how it is made as fast as it can be.
LIBRARIES: list[tuple[str, str, Callable[[str], Draw], Callable[[str], Draw]]] = [
    ("leafid `Segment`", "leafid", leafid_segment, leafid_segment),
    ("leafid `Snowflake`", "leafid", leafid_snowflake, leafid_snowflake),
    ("sonyflake-turbo", "sonyflake-turbo", sonyflake_turbo, sonyflake_turbo_of_many),
    ("snowflake-id", "snowflake-id", snowflake_id, snowflake_id),
    ("snowflake-id-toolkit", "snowflake-id-toolkit", snowflake_id_toolkit, snowflake_id_toolkit),
    ("flakeid", "flakeid", flakeid, flakeid),
]
