"""Errors of public IDs have a message that shows no key; the vectors test the codes."""

from __future__ import annotations

import pytest
from wasmtime import Store, WasmtimeError

from support.component import ENGINE, Instance, Refused, Scrambler, instantiate
from support.places import DIST

KEY = bytes(range(16))


@pytest.fixture
def public() -> Instance:
    return instantiate(DIST / "leafid-public.wasm", {})


def test_what_is_wrong_is_told(public: Instance) -> None:
    def made(key: bytes, tag: str) -> Scrambler:
        return public.scrambler(key, tag, "order", "base58")

    orders = made(KEY, "orders")
    for verb, given, code, words in [
        (made, (KEY[:15], "orders"), "request-invalid", "the key has 15 bytes"),
        (made, (KEY, ""), "tag-invalid", "`` is not a tag"),
        (orders.decode, ("",), "id-invalid", "does not begin with `order_`"),
        (orders.decode, (f"{orders.encode(1001)[:-1]}0",), "id-invalid", "`0` is no digit of base58"),
        (orders.unscramble, (2**63,), "id-invalid", "`9223372036854775808` is not an ID"),
    ]:
        with pytest.raises(Refused, match=code) as raised:
            verb(*given)
        assert words in (raised.value.message or "")
    # Dropping one scrambler does not affect others.
    events = public.scrambler(KEY, "events", None, "base62")
    shown = events.encode(7)
    orders.drop()
    assert events.decode(shown) == 7


def many(pages: int, count: int, dropped: bool = True) -> None:
    """Makes this many scramblers, one after another, in an instance with limited memory."""
    store = Store(ENGINE)
    store.set_limits(memory_size=pages * 65_536)
    public = instantiate(DIST / "leafid-public.wasm", {}, store)
    for n in range(count):
        scrambler = public.scrambler(KEY, f"tag-{n}", "order", "base58")
        assert scrambler.decode(scrambler.encode(n)) == n
        if dropped:
            scrambler.drop()


def test_many_scramblers_leave_nothing_behind() -> None:
    def is_enough(pages: int) -> bool:
        try:
            many(pages, 10)
        except WasmtimeError:
            return False
        return True

    least = next(pages for pages in range(100) if is_enough(pages))
    many(least, 2_000)
    with pytest.raises(WasmtimeError):
        many(least, 2_000, dropped=False)
