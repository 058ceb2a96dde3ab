"""`fill`: whatever has a writable buffer of 64-bit integers."""

from __future__ import annotations

import ctypes
from array import array

import pytest

from leafid import Segment, Snowflake


def test_arrays_are_filled_in_order(memory) -> None:
    ids = Segment("orders", memory)
    buffer = array("Q", bytes(8 * 50))
    assert ids.fill(buffer) == 50
    assert buffer.tolist() == list(range(1, 51))


@pytest.mark.parametrize("buffer", [
    array("q", bytes(80)),
    array("L", bytes(80)),
    memoryview(bytearray(80)).cast("Q"),
    memoryview(bytearray(80)).cast("q"),
    memoryview(bytearray(80)).cast("Q", (2, 5)),
    memoryview(array("Q", bytes(160)))[3:13],
    (ctypes.c_uint64 * 10)(),
    (ctypes.c_int64 * 10)(),
], ids=lambda buffer: f"{type(buffer).__name__}-{memoryview(buffer).format}")  # fmt: skip
def test_every_form_of_64_bits(memory, buffer) -> None:
    assert Segment("orders", memory).fill(buffer) == 10
    assert list(memoryview(buffer).cast("B").cast("Q")) == list(range(1, 11))


@pytest.mark.parametrize("wrong", [
    array("I", bytes(80)),
    array("d", bytes(80)),
    bytearray(80),
    bytes(80),
    memoryview(bytes(80)).cast("Q"),
    memoryview(array("Q", bytes(160)))[::2],
    memoryview(bytearray(81))[1:].cast("Q"),
    [0] * 10,
    None,
], ids=lambda buffer: f"{type(buffer).__name__}")  # fmt: skip
def test_what_is_none_is_told(memory, wrong) -> None:
    ids = Segment("orders", memory)
    with pytest.raises(TypeError, match=r"writable, contiguous buffer of 64-bit integers"):
        ids.fill(wrong)
    assert ids.stats().ids == 0


def test_a_buffer_gets_what_is_at_hand(memory) -> None:
    memory.create_tag("small", step=10, max_step=10)
    ids = Segment("small", memory)
    buffer = array("Q", bytes(8 * 1_000))
    filled = ids.fill(buffer)
    assert 0 < filled <= 30
    assert buffer[: filled + 1].tolist() == [*range(1, filled + 1), 0]
    assert ids.fill(array("Q")) == 0


def test_a_buffer_runs_over_several_ticks(memory) -> None:
    ids = Snowflake(store=memory)
    buffer = array("Q", bytes(8 * 50_000))
    assert ids.fill(buffer) == 50_000
    assert all(a < b for a, b in zip(buffer, buffer[1:]))


def test_a_buffer_is_free_afterwards(memory) -> None:
    buffer = bytearray(80)
    Segment("orders", memory).fill(memoryview(buffer).cast("Q"))
    buffer.extend(b"more")
