"""Pydantic: an ID type, an `int` in Python and a string in JSON, since JavaScript rounds numbers
above 2^53.

    class Order(BaseModel):
        id: Id

Accepted are `Order(id=1001)`, `{"id": "1001"}` and `{"id": 1001}`, but no float: it may have been
rounded already.
"""

from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from . import parse_decimal

__all__ = ["Id"]

_LAST = 2**63 - 1
_DECIMAL = {"type": "string", "pattern": "^(0|[1-9][0-9]{0,18})$", "examples": ["1001"]}


class _Form:
    """Validates and serializes an ID."""

    def __get_pydantic_core_schema__(
        self, _source: Any, _handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        # Strict: neither `True` nor a float is an ID.
        return core_schema.no_info_before_validator_function(
            _read,
            core_schema.int_schema(ge=0, le=_LAST, strict=True),
            serialization=core_schema.plain_serializer_function_ser_schema(
                str, return_schema=core_schema.str_schema(), when_used="json"
            ),
        )

    def __get_pydantic_json_schema__(
        self, _schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        if handler.mode == "serialization":
            return dict(_DECIMAL)
        return {"anyOf": [dict(_DECIMAL), {"type": "integer", "minimum": 0, "maximum": _LAST}]}

    def __repr__(self) -> str:
        return "Id"


def _read(value: Any) -> Any:
    return parse_decimal(value) if isinstance(value, str) else value


Id = Annotated[int, _Form()]
