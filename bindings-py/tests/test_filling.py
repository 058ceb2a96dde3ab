"""Many IDs in one call: `take` and `fill` give all or nothing, `fill_available` those at hand. Buffers must be
writable, contiguous and of 64-bit integers."""

import ctypes
import sys
from array import array

import numpy
import pytest

import leafid
from leafid import MemoryStore, Segment, Snowflake
from leafid.testing import Clock

UNTOUCHED = 2**64 - 1
OTHER_ORDER = ">" if sys.byteorder == "little" else "<"


def buffer_of(count: int) -> array:
    return array("Q", [UNTOUCHED]) * count


def test_fills_and_takes_of_every_size_ascend(memory, make) -> None:
    ids, drawn = make(memory), []
    for count in (1, 50_000, 3, 0, 999, 1_000, 1_001, 0, 17):
        buffer = buffer_of(count)
        ids.fill(buffer)
        drawn += [*buffer, ids.next(), *ids.take(count)]
        with memoryview(buffer) as view:
            view[:] = array("Q", bytes(8 * count))
            filled = ids.fill_available(view)
        assert filled <= count and (filled > 0) == (count > 0)
        assert not any(buffer[filled:])
        drawn += buffer[:filled]
    assert drawn == sorted(set(drawn))
    assert all(0 < id < 2**63 for id in drawn)
    assert ids.stats().ids == len(drawn)


@pytest.mark.parametrize("rest", [0, 1, 32, 1_000])
@pytest.mark.parametrize("count", [1, 31, 32, 33, 1_600])
def test_many_of_two_ranges(memory, rest, count) -> None:
    """The rest of one range, and the beginning of another that is not adjacent."""
    orders, others = Segment("orders", memory, step=2_000), Segment("orders", memory, step=2_000)
    assert (orders.next(), others.next()) == (1, 2_001)
    assert orders.take(1_999 - rest) == list(range(2, 2_001 - rest))
    taken = orders.take(rest + count)
    assert taken == [*range(2_001 - rest, 2_001), *range(4_001, 4_001 + count)]
    assert {type(id) for id in taken} == {int}


@pytest.mark.parametrize("count", [1, 31, 32, 33, 4_000, 9_000])
def test_many_stamps_are_what_one_after_another_would_be(count) -> None:
    """IDs are successive numbers within a tick, but not across ticks."""
    clock = Clock()
    clock.freeze()

    def made() -> Snowflake:
        return Snowflake(store=MemoryStore(clock=clock), clock=clock, spread=0)

    taken, drawn = made().take(count), made()
    assert taken == [drawn.next() for _ in range(count)]
    # The default layout has 12 sequence bits per millisecond.
    assert len({leafid.decode(id).time_ms for id in taken}) == -(-count // 4_096)


@pytest.mark.parametrize("verb", ["take", "fill"])
def test_numbers_that_do_not_come_in_time_are_not_spent(gate, verb) -> None:
    gate.store.create_tag("many", step=100, max_step=400)
    gate.gate.set()
    ids = Segment("many", gate)
    assert ids.next() == 1
    gate.gate.clear()
    refused(ids, verb, 400)
    assert ids.stats().in_hand == 99
    gate.gate.set()
    assert ids.take(400) == list(range(2, 402))


def refused(ids: leafid.Generator, verb: str, count: int) -> None:
    buffer, before = buffer_of(count), ids.stats()
    with pytest.raises(leafid.TimedOutError):
        ids.fill(buffer, timeout=0.05) if verb == "fill" else ids.take(count, timeout=0.05)
    assert set(buffer) == {UNTOUCHED}
    assert (ids.stats().ids, ids.stats().in_hand) == (before.ids, before.in_hand)


@pytest.mark.parametrize(("count", "call"), [
    (2**40, lambda ids: ids.take(2**40)),
    (10**9, lambda ids: ids.ready(10**9)),
    (10**7, lambda ids: ids.fill(buffer_of(10**7))),
], ids=["take", "ready", "fill"])  # fmt: skip
def test_counts_that_no_line_has_at_once(memory, make, count, call) -> None:
    """Refused after one lease, before memory for a list is allocated."""
    memory.create_tag("orders", step=100, max_step=100)
    ids = make(memory, timeout=60)
    with pytest.raises(leafid.CountInvalidError, match=rf"gives at most \d+ IDs at once, got `{count}`$"):
        call(ids)
    assert ids.stats().ids == 0 and ids.stats().asks <= 2
    assert len(set(ids.take(100))) == 100, "it is usable afterwards"


@pytest.mark.parametrize("n", [1, 9, 50, 200])
def test_after_ready_so_many_calls_need_not_wait(memory, make, n) -> None:
    memory.create_tag("orders", step=10, max_step=1_000)
    with pytest.raises(leafid.TimedOutError):
        make(memory).take(n, timeout=0)
    ids = make(memory)
    ids.ready(n)
    assert ids.stats().ids == 0 and ids.stats().in_hand >= n, "nothing is drawn"
    drawn = [ids.next(timeout=0) for _ in range(n)]
    assert drawn == sorted(set(drawn))


@pytest.mark.parametrize("buffer", [
    array("Q", bytes(80)),
    array("q", bytes(80)),
    array("L", bytes(80)),
    memoryview(bytearray(80)).cast("Q"),
    memoryview(bytearray(80)).cast("N"),
    bytearray(80),
    memoryview(bytearray(96))[8:88],
    memoryview(bytearray(80)).cast("Q", (2, 5)),
    memoryview(array("Q", bytes(160)))[3:13],
    (ctypes.c_uint64 * 10)(),
    numpy.zeros(10, numpy.int64),
    numpy.zeros(10, numpy.ulonglong),
    numpy.zeros((5, 2), numpy.uint64),
    numpy.zeros(20, numpy.uint64)[5:15],
], ids=lambda buffer: f"{type(buffer).__name__}-{memoryview(buffer).format}")  # fmt: skip
def test_every_form_of_64_bits(memory, buffer) -> None:
    Segment("orders", memory).fill(buffer)
    assert list(memoryview(bytes(memoryview(buffer))).cast("Q")) == list(range(1, 11))


@pytest.mark.parametrize("wrong, told", [
    (array("I", bytes(80)), "one of format `I`"),
    (array("d", bytes(80)), "one of format `d`"),
    (bytearray(81), "one of format `B`"),
    (array("b", bytes(80)), "one of format `b`"),
    (memoryview(bytearray(88))[4:84], "one that begins between two integers"),
    (numpy.zeros(10, numpy.float64), "one of format `d`"),
    (numpy.zeros(10, f"{OTHER_ORDER}u8"), f"one of format `{OTHER_ORDER}"),
    (numpy.zeros(10, [("id", "u8")]), "one of format `T{"),
    (memoryview(bytes(80)).cast("Q"), "one that is read-only"),
    (numpy.broadcast_to(numpy.uint64(0), 10), "one that is read-only"),
    (memoryview(array("Q", bytes(160)))[::2], "one with gaps between its items"),
    (numpy.zeros((5, 2), numpy.uint64).T, "one with gaps between its items"),
    (memoryview(bytearray(81))[1:].cast("Q"), "one that begins between two integers"),
    (numpy.frombuffer(bytearray(81), numpy.uint64, 10, offset=1), "one that begins between two integers"),
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
