"""leafid and four libraries of 64-bit IDs, each used as in its own documentation."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

# `None` if the library has no ID at the moment.
Draw = Callable[[], "int | None"]


def leafid_segment(store: str) -> Draw:
    return import_module("leafid").Segment("bench", store, create=True).next


def leafid_snowflake(store: str) -> Draw:
    return import_module("leafid").Snowflake("bench", store, create=True).next


def sonyflake_turbo(_store: str) -> Draw:
    return import_module("sonyflake_turbo").SonyFlake(1, start_time=1_700_000_000).__next__


def sonyflake_turbo_of_many(_store: str) -> Draw:
    """One machine number has 25 IDs per ms, then sleeps: so all are used."""
    numbers = range(1, 4_097)
    return import_module("sonyflake_turbo").SonyFlake(*numbers, start_time=1_700_000_000).__next__


def snowflake_id(_store: str) -> Draw:
    return import_module("snowflake").SnowflakeGenerator(1).__next__


def flakeid(_store: str) -> Draw:
    return import_module("flakeid").SnowflakeGenerator().next_id


def snowflake_id_toolkit(_store: str) -> Draw:
    return import_module("snowflake_id_toolkit").TwitterSnowflakeIDGenerator(1).generate_next_id


# Name, package, normal use, fastest use.
LIBRARIES: list[tuple[str, str, Callable[[str], Draw], Callable[[str], Draw]]] = [
    ("leafid `Segment`", "leafid", leafid_segment, leafid_segment),
    ("leafid `Snowflake`", "leafid", leafid_snowflake, leafid_snowflake),
    ("sonyflake-turbo", "sonyflake-turbo", sonyflake_turbo, sonyflake_turbo_of_many),
    ("snowflake-id", "snowflake-id", snowflake_id, snowflake_id),
    ("snowflake-id-toolkit", "snowflake-id-toolkit", snowflake_id_toolkit, snowflake_id_toolkit),
    ("flakeid", "flakeid", flakeid, flakeid),
]
