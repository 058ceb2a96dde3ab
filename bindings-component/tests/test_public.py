"""Errors of public IDs have a message that shows no key; the vectors test the codes."""

from __future__ import annotations

import pytest

from support.component import Instance, Refused, Scrambler, instantiate
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
