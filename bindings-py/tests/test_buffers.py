"""Buffers that can be filled: whatever is writable, contiguous and of 64-bit integers."""

import ctypes
import sys
from array import array

import numpy
import pytest

from leafid import Segment

OTHER_ORDER = ">" if sys.byteorder == "little" else "<"


@pytest.mark.parametrize("buffer", [
    array("Q", bytes(80)),
    array("q", bytes(80)),
    array("L", bytes(80)),
    memoryview(bytearray(80)).cast("Q"),
    memoryview(bytearray(80)).cast("N"),
    memoryview(bytearray(80)).cast("Q", (2, 5)),
    memoryview(array("Q", bytes(160)))[3:13],
    memoryview(bytearray(81))[1:].cast("Q"),
    (ctypes.c_uint64 * 10)(),
    numpy.zeros(10, numpy.int64),
    numpy.zeros(10, numpy.ulonglong),
    numpy.zeros((5, 2), numpy.uint64),
    numpy.zeros(20, numpy.uint64)[5:15],
    numpy.frombuffer(bytearray(81), numpy.uint64, 10, offset=1),
], ids=lambda buffer: f"{type(buffer).__name__}-{memoryview(buffer).format}")  # fmt: skip
def test_every_form_of_64_bits(memory, buffer) -> None:
    Segment("orders", memory).fill(buffer)
    assert list(memoryview(bytes(memoryview(buffer))).cast("Q")) == list(range(1, 11))


@pytest.mark.parametrize("wrong, told", [
    (array("I", bytes(80)), "one of format `I`"),
    (array("d", bytes(80)), "one of format `d`"),
    (bytearray(80), "one of format `B`"),
    (numpy.zeros(10, numpy.float64), "one of format `d`"),
    (numpy.zeros(10, f"{OTHER_ORDER}u8"), f"one of format `{OTHER_ORDER}"),
    (numpy.zeros(10, [("id", "u8")]), "one of format `T{"),
    (memoryview(bytes(80)).cast("Q"), "one that is read-only"),
    (numpy.broadcast_to(numpy.uint64(0), 10), "one that is read-only"),
    (memoryview(array("Q", bytes(160)))[::2], "one with gaps between its items"),
    (numpy.zeros((5, 2), numpy.uint64).T, "one with gaps between its items"),
    ([0] * 10, "`list`"),
    (numpy.array([None]), "`ndarray`|one of format `O`"),
    (None, "`NoneType`"),
], ids=lambda value: value if isinstance(value, str) else type(value).__name__)  # fmt: skip
def test_what_cannot_be_filled_is_told(memory, wrong, told) -> None:
    ids = Segment("orders", memory)
    with pytest.raises(TypeError, match="writable, contiguous and of 64-bit integers") as refused:
        ids.fill(wrong)
    assert any(f"this is {way}" in str(refused.value) for way in told.split("|")), refused.value
    assert refused.value.code == "REQUEST_INVALID"
    assert ids.stats().asks == 0, "nothing was asked for"
    good = array("Q", bytes(80))
    ids.fill(good)
    assert list(good) == list(range(1, 11)), "it is usable afterwards"


def test_a_buffer_is_free_afterwards(memory) -> None:
    buffer = bytearray(80)
    Segment("orders", memory).fill(memoryview(buffer).cast("Q"))
    buffer.extend(b"more")
