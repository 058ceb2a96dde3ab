"""The conformance suite of a store, replayed over a file and over databases."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from leafid import SqliteStore, SqlStore
from support.places import VECTORS
from support.replay import Tabled, replay

Make = Callable[..., Any]


def scripts() -> list[dict]:
    read = [json.loads((VECTORS / f"{name}.json").read_text()) for name in ("registry", "errors")]
    return [script for file in read for script in file["scripts"] if script["kind"] == "store"]


ENGINES = [pytest.param(name, marks=pytest.mark.engine) for name in ("postgres", "mariadb")]


@pytest.fixture(params=["sqlite", *ENGINES])
def make(request, tmp_path) -> Make:
    if request.param == "sqlite":
        return partial(SqliteStore, tmp_path / "ids.db")
    server = request.getfixturevalue(request.param)
    return partial(SqlStore, server.factory(server.make_again("suite")))


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script["name"])
def test_it_gives_what_the_vectors_say(make, script) -> None:
    stored = Tabled(script, make)
    replay(script, stored)
    stored.store.close()


def test_a_wrong_answer_is_found(make) -> None:
    (script,) = [one for one in scripts() if one["name"].startswith("numbers from one")]
    script["steps"][0]["gives"]["end"] = "1002"
    with pytest.raises(AssertionError, match="step 1"):
        replay(script, Tabled(script, make))
