"""What a host can get wrong with public IDs: a problem in words that shows no key, and never another's ID."""

from __future__ import annotations

import pytest
from wasmtime import Store, WasmtimeError

from support.component import ENGINE, Instance, Refused, instantiate
from support.places import DIST

KEY = bytes(range(16))


@pytest.fixture
def public() -> Instance:
    return instantiate(DIST / "leafid-public.wasm", {})


def test_many_ids_there_and_back(public: Instance) -> None:
    orders = public.scrambler(KEY, "orders", "order", "base58")
    ids = [*range(2_000), *(2**63 - 1 - n for n in range(2_000))]
    texts = [orders.encode(id) for id in ids]
    assert len(set(texts)) == len(ids)
    assert [orders.decode(text) for text in texts] == ids
    assert {len(text) for text in texts} == {len("order_") + 11}
    # The control: under another key, or for another tag, nearly all are others.
    for other in (bytes(16), "orders"), (KEY, "events"):
        others = public.scrambler(*other, "order", "base58")
        assert sum(others.decode(text) == id for text, id in zip(texts, ids)) == 0


@pytest.mark.parametrize(
    ("key", "tag", "prefix", "code", "words"),
    [
        (KEY[:15], "orders", None, "request-invalid", "the key has 15 bytes: it must be 16 or 32"),
        (b"", "orders", None, "request-invalid", "the key has 0 bytes"),
        (KEY, "", None, "tag-invalid", "`` is not a tag"),
        (KEY, "orders", "Order", "request-invalid", "`Order` is not a prefix"),
        (KEY, "orders", "", "request-invalid", "`` is not a prefix"),
    ],
)
def test_what_makes_no_scrambler(
    public: Instance, key: bytes, tag: str, prefix: str | None, code: str, words: str
) -> None:
    with pytest.raises(Refused) as raised:
        public.scrambler(key, tag, prefix, "base58")
    message = raised.value.message or ""
    assert (raised.value.code, message[: len(words)]) == (code, words)


def test_what_is_no_public_id(public: Instance) -> None:
    orders = public.scrambler(KEY, "orders", "order", "base58")
    good = orders.encode(1001)
    for text, words in [
        ("", "does not begin with `order_`"),
        (good.removeprefix("order_"), "does not begin with `order_`"),
        (good[:-1], "it has 10 characters where 11 belong"),
        (f"{good[:-1]}0", "`0` is no digit of base58"),
        ("order_zzzzzzzzzzz", "it is above the largest there is"),
    ]:
        with pytest.raises(Refused, match="id-invalid") as raised:
            orders.decode(text)
        assert words in (raised.value.message or "")
    for verb in orders.encode, orders.scramble, orders.unscramble:
        with pytest.raises(Refused, match="id-invalid") as raised:
            verb(2**63)
        assert "`9223372036854775808` is not an ID" in (raised.value.message or "")
    assert orders.decode(good) == 1001


def test_others_go_on_where_one_is_dropped(public: Instance) -> None:
    orders, events = (public.scrambler(KEY, tag, None, "base62") for tag in ("orders", "events"))
    shown = events.encode(7)
    orders.drop()
    assert events.decode(shown) == 7


def many(pages: int, count: int, dropped: bool = True) -> None:
    """Makes so many scramblers, one after another, in an instance with so much memory."""
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
