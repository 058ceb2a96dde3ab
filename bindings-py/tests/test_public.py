"""`leafid.public`: the parts of scrambled IDs that are Python's own; the vectors test the values."""

import copy
import pickle

import pytest

from leafid.public import Scrambler

KEY = bytes(range(16))


def test_what_it_is_called() -> None:
    orders = Scrambler(bytearray(KEY), "orders", prefix="order", alphabet="base62")
    for scrambler in (orders, Scrambler(KEY, "orders")):
        assert KEY.hex() not in repr(scrambler) and repr(KEY) not in repr(scrambler)
    assert repr(orders) == 'Scrambler(…, "orders", prefix="order")'


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
