"""`leafid.public`: the parts of scrambled IDs that are Python's own; the vectors test the values."""

import copy
import pickle

import pytest

import leafid
from leafid.public import Scrambler, parse_base58

KEY = bytes(range(16))


def test_what_it_is_called() -> None:
    orders = Scrambler(bytearray(KEY), "orders", prefix="order", alphabet="base62")
    assert (orders.tag, orders.prefix, orders.alphabet) == ("orders", "order", "base62")
    assert Scrambler(KEY, "orders").prefix is None
    for scrambler in (orders, Scrambler(KEY, "orders")):
        assert KEY.hex() not in repr(scrambler) and repr(KEY) not in repr(scrambler)
    assert repr(orders) == 'Scrambler(…, "orders", prefix="order")'


# The vectors test the codes of all of these.
WRONG = {
    "a short key": (lambda: Scrambler(b"x" * 5, "orders"), "REQUEST_INVALID", "has 5 bytes"),
    "no tag": (lambda: Scrambler(KEY, "a b"), "TAG_INVALID", "`a b` is not a tag"),
    "an alphabet": (lambda: Scrambler(KEY, "o", alphabet="base64"), "REQUEST_INVALID", "or `base62`, got `base64`"),
    "a foreign text": (lambda: Scrambler(KEY, "o", prefix="p").decode("q_1"), "ID_INVALID", "does not begin with `p_`"),
    "a letter": (lambda: parse_base58("1111111111l"), "ID_INVALID", "`l` is no digit of base58"),
    "a negative ID": (lambda: Scrambler(KEY, "o").encode(-1), "ID_INVALID", "got `-1`"),
    "a large number": (lambda: Scrambler(KEY, "o").unscramble(2**63), "ID_INVALID", "got `92233"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name) -> None:
    act, code, words = WRONG[name]
    with pytest.raises(leafid.LeafidError) as caught:
        act()
    assert caught.value.code == code and words in str(caught.value), str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_the_wrong_types_are_type_errors() -> None:
    with pytest.raises(TypeError, match="`key` must be 16 or 32 random `bytes`, got a `str`"):
        Scrambler("0" * 16, "orders")  # type: ignore[arg-type]
    orders = Scrambler(KEY, "orders")
    for act in (lambda: orders.encode("7"), lambda: orders.encode(1.0), lambda: orders.decode(7)):
        with pytest.raises(TypeError):
            act()
    for act in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="its key would be"):
            act(orders)
