"""Errors of public IDs have a message that shows no key; the vectors test the codes."""

from __future__ import annotations

import pytest
from leafid_component import Leafid, Refused, Resource

from support.places import DIST

KEY = bytes(range(16))


def test_what_is_wrong_is_told() -> None:
    public = Leafid(DIST / "leafid-public.wasm")

    def made(key: bytes, tag: str) -> Resource:
        return public.made("public-ids", "scrambler", "make", key, tag, "order", "base58")

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
        assert words in raised.value.given["message"]
    # Dropping one scrambler does not affect others.
    events = made(KEY, "events")
    shown = events.encode(7)
    orders.handle.drop(public.store)
    assert events.decode(shown) == 7
