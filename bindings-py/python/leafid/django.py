"""Django: a field with IDs from leafid, and a default for your own fields.

    class Order(models.Model):
        id = IdField(tag="orders", primary_key=True)

The setting `LEAFID_STORE`, or the environment variable of that name, names the store. A process has
one generator for each tag and each namespace; it leases nothing before the first ID.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core import checks  # type: ignore[import-untyped,unused-ignore]
from django.db import models  # type: ignore[import-untyped,unused-ignore]
from django.utils.deconstruct import deconstructible  # type: ignore[import-untyped,unused-ignore]

from . import RequestInvalidError, Segment, Snowflake
from .errors import _NOT_AT_HAND

__all__ = ["IdField", "NextId", "generator", "tested"]

_GENERATORS: dict[tuple[str | None, str | None], Segment | Snowflake] = {}
# A test's store, which overrides the setting.
_TESTED: str | None = None


def generator(*, tag: str | None = None, namespace: str | None = None) -> Segment | Snowflake:
    """This process's generator for a tag or a namespace. `await generator(tag="orders").aready(1)` lets an
    async view make objects without a wait."""
    key = (tag, namespace)
    known = _GENERATORS.get(key)
    if known is not None and not known.closed:
        return known
    from django.conf import settings  # type: ignore[import-untyped,unused-ignore]

    store = _TESTED or getattr(settings, "LEAFID_STORE", None)
    if not store and not os.environ.get("LEAFID_STORE"):
        raise RequestInvalidError(
            "no store was given: set LEAFID_STORE in the settings or in the environment, to the "
            "URL of a server or of a database; in a test to `memory:`"
        )
    if tag is not None:
        made: Segment | Snowflake = Segment(tag, store)
    else:
        made = Snowflake(namespace or "default", store)
    if known is not None:
        # If another thread has replaced it already, users of that generator keep it.
        _GENERATORS.pop(key, None)
    return _GENERATORS.setdefault(key, made)


@contextmanager
def tested(store: str) -> Iterator[None]:
    """A context in which IDs come from this store alone, whatever the setting is; earlier generators are
    set aside. `leafid_store`, the fixture for pytest, uses it."""
    global _GENERATORS, _TESTED
    before = _GENERATORS, _TESTED
    _GENERATORS, _TESTED = {}, store
    try:
        yield
    finally:
        for made in _GENERATORS.values():
            made.close()
        _GENERATORS, _TESTED = before


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


class _AtHand(NextId):
    """A default that gives `None` where an event loop would have to wait: the field then draws on saving,
    which Django does in a thread."""

    def __call__(self) -> int | None:  # type: ignore[override]
        try:
            return super().__call__()
        except _NOT_AT_HAND:
            return None


class IdField(models.BigIntegerField):  # type: ignore[misc,unused-ignore]
    """A `BIGINT` that gets the next ID of a tag (or namespace) when an object is created.

    As with any default, a new object has its ID before it is saved. Before adding the field to a table
    with rows, give these their IDs in your own migration: Django computes one default for all of them.
    """

    description = "64-bit ID from leafid"

    def __init__(
        self, *args: Any, tag: str | None = None, namespace: str | None = None, **kwargs: Any
    ) -> None:
        self.tag, self.namespace = tag, namespace
        kwargs.setdefault("editable", False)
        if (tag is None) != (namespace is None):
            kwargs["default"] = _AtHand(tag=tag, namespace=namespace)
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

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        value = super().pre_save(model_instance, add)
        if value is None and add and not self.null:
            value = generator(tag=self.tag, namespace=self.namespace).next()
            setattr(model_instance, self.attname, value)
        return value

    def get_pk_value_on_save(self, instance: models.Model) -> Any:
        # Drawn here where the default gave `None`, since it would have had to wait.
        return generator(tag=self.tag, namespace=self.namespace).next()
