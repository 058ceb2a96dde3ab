"""Django: a field with IDs from leafid, and a default for your own fields.

    class Order(models.Model):
        id = IdField(tag="orders", primary_key=True)

The setting `LEAFID_STORE`, or the environment variable of that name, names the store. A process has
one generator for each tag and each namespace; it leases nothing before the first ID.
"""

from typing import Any

from django.core import checks  # type: ignore[import-untyped,unused-ignore]
from django.db import models  # type: ignore[import-untyped,unused-ignore]
from django.utils.deconstruct import deconstructible  # type: ignore[import-untyped,unused-ignore]

from . import Generator, RequestInvalidError, Segment, Snowflake

__all__ = ["IdField", "NextId", "generator"]

_GENERATORS: dict[tuple[str | None, str | None], Generator] = {}


def generator(*, tag: str | None = None, namespace: str | None = None) -> Generator:
    """This process's generator for a tag or a namespace."""
    key = (tag, namespace)
    known = _GENERATORS.get(key)
    if known is not None and not known.closed:
        return known
    from django.conf import settings  # type: ignore[import-untyped,unused-ignore]

    # An empty one means the environment's, as none does.
    store = getattr(settings, "LEAFID_STORE", None) or None
    if tag is not None:
        made: Generator = Segment(tag, store)
    else:
        made = Snowflake(namespace or "default", store)
    if known is not None:
        # If another thread has replaced it already, users of that generator keep it.
        _GENERATORS.pop(key, None)
    return _GENERATORS.setdefault(key, made)


@deconstructible(path="leafid.django.NextId")
class NextId:
    """A default that migrations can serialize: `BigIntegerField(default=NextId(tag="orders"))`."""

    def __init__(self, *, tag: str | None = None, namespace: str | None = None) -> None:
        if (tag is None) == (namespace is None):
            raise RequestInvalidError(
                "an ID is of a tag or of a namespace: give one of `tag=` and `namespace=`"
            )
        self.tag, self.namespace = tag, namespace

    def __call__(self) -> int:
        return generator(tag=self.tag, namespace=self.namespace).next()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NextId) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str | None, str | None]:
        return self.tag, self.namespace


class IdField(models.BigIntegerField):  # type: ignore[misc,unused-ignore]
    """A `BIGINT` that gets the next ID of a tag (or namespace) when an object is saved for the first time, as Django's
    own keys do: `Order()` and an empty form draw none. For an ID before that, set it:
    `Order(id=generator(tag="orders").next())`.

    Before adding the field to a table with rows, give these their IDs in your own migration.
    """

    description = "64-bit ID from leafid"

    def __init__(
        self, *args: Any, tag: str | None = None, namespace: str | None = None, **kwargs: Any
    ) -> None:
        self.tag, self.namespace = tag, namespace
        kwargs.setdefault("editable", False)
        if (tag is None) != (namespace is None):
            # Its presence tells Django that a new object has a new key: it inserts without an UPDATE before.
            kwargs["default"] = NextId(tag=tag, namespace=namespace)
        super().__init__(*args, **kwargs)

    def check(self, **kwargs: Any) -> list[Any]:
        found = list(super().check(**kwargs))
        if (self.tag is None) == (self.namespace is None):
            hint = "Give one of `tag=` and `namespace=`."
            found.append(checks.Error("an ID is of a tag or of a namespace", hint, self, "leafid.E001"))
        return found

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("default", None)
        for word in ("tag", "namespace"):
            if (value := getattr(self, word)) is not None:
                kwargs[word] = value
        return name, path, args, kwargs

    def get_default(self) -> None:
        return None

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        value = super().pre_save(model_instance, add)
        if value is None and add:
            value = self.get_pk_value_on_save(model_instance)
            setattr(model_instance, self.attname, value)
        return value

    def get_pk_value_on_save(self, instance: models.Model) -> Any:
        return self.default()
