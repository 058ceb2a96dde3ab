"""`leafid.pydantic`: an ID that browsers do not round."""

import json

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from leafid.pydantic import Id

BIG = 9_007_199_254_740_993  # 2^53 + 1: JavaScript's JSON.parse makes ...992 of it


class Order(BaseModel):
    id: Id
    lines: list[Id] = []
    parent: Id | None = None
    counts: dict[str, Id] = {}


def test_it_is_a_string_in_json_and_an_int_in_python() -> None:
    order = Order(id=BIG, lines=[1, BIG], counts={"a": BIG})
    assert order.id == BIG and order.model_dump() == {
        "id": BIG, "lines": [1, BIG], "parent": None, "counts": {"a": BIG},
    }  # fmt: skip
    text = order.model_dump_json()
    assert json.loads(text) == {
        "id": str(BIG), "lines": ["1", str(BIG)], "parent": None, "counts": {"a": str(BIG)},
    }  # fmt: skip
    assert Order.model_validate_json(text) == order


@pytest.mark.parametrize("given", [BIG, str(BIG), 0, "0", 2**63 - 1, str(2**63 - 1)])
def test_both_are_accepted(given) -> None:
    for id in (Order(id=given).id, Order.model_validate_json(json.dumps({"id": given})).id):
        assert id == int(given) and type(id) is int


WRONG = [-1, 2**63, 1.0, 1e18, True, None, "", "-1", "+1", "01", " 1", "1.0", "1e3", "x", str(2**63), b"1", []]


@pytest.mark.parametrize("given", WRONG)
def test_anything_else_is_not(given) -> None:
    with pytest.raises(ValidationError) as refused:
        Order(id=given)
    assert refused.value.error_count() == 1 and refused.value.errors()[0]["loc"] == ("id",)


def test_the_schema_says_so() -> None:
    adapter = TypeAdapter(Id)
    written, read = (adapter.json_schema(mode=mode) for mode in ("serialization", "validation"))
    assert written["type"] == "string" and written["pattern"] == "^(0|[1-9][0-9]{0,18})$"
    assert [way["type"] for way in read["anyOf"]] == ["string", "integer"]
