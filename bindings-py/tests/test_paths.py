"""Paths as arguments: what the system can hold is taken, whatever is not UTF-8 in it; the rest is an error
of ours."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import leafid
from leafid import HttpStore, MemoryStore, Segment, Snowflake, SqliteStore

# A byte that is not UTF-8, as Python has it in a text; and half a character that no system holds.
ODD, HALF = os.fsdecode(b"caf\xe9"), "caf\ud800"


@pytest.mark.skipif(sys.platform != "linux", reason="state files are on Linux only")
def test_a_state_file_whose_name_is_not_utf8(tmp_path: Path) -> None:
    path = f"{tmp_path}/{ODD}.state"
    with Snowflake("default", MemoryStore(), state=path) as ids:
        assert ids.next()
    assert os.path.exists(path)


def test_a_certificate_whose_name_is_not_utf8_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(leafid.RequestInvalidError, match="caf"):
        HttpStore("https://127.0.0.1:1", ca=f"{tmp_path}/{ODD}.pem")


def test_halves_of_characters_are_refused() -> None:
    for name in ("ca", "cert", "key"):
        with pytest.raises(leafid.RequestInvalidError, match="half a character"):
            HttpStore("https://127.0.0.1:1", **{name: HALF})
    with pytest.raises(leafid.RequestInvalidError, match="half a character"):
        Snowflake("default", MemoryStore(), state=HALF)


def test_what_is_no_path_is_named() -> None:
    with pytest.raises(TypeError, match="`ca` must be the path of a file, got a `int`"):
        HttpStore("https://127.0.0.1:1", ca=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`state` must be the path of a file, got a `int`"):
        Snowflake("default", MemoryStore(), state=1)  # type: ignore[arg-type]


def test_a_file_as_a_store_whose_name_is_not_utf8(tmp_path: Path) -> None:
    store = SqliteStore(f"{tmp_path}/{ODD}.db", create=True)
    store.create_tag("orders")
    with Segment("orders", store) as orders:
        assert orders.next() == 1
    with pytest.raises(leafid.RequestInvalidError):
        SqliteStore(f"{tmp_path}/{HALF}.db", create=True)
