"""Replays the vectors with the installed package; counts are printed and compared. Vectors of stores also run on
a file, and on databases."""

import json
from functools import partial
from typing import Any

import pytest

from leafid import SqliteStore, SqlStore
from support.places import VECTORS
from support.replay import Tabled, replay

FILES = sorted([*VECTORS.glob("*.json"), *VECTORS.glob("partial/public.json")])


def scripts(path) -> list[dict[str, Any]]:
    return json.loads(path.read_text())["scripts"]


STORES = [script for path in FILES for script in scripts(path) if script["kind"] == "store"]


def test_there_are_vectors() -> None:
    assert FILES and STORES, f"no vectors in `{VECTORS}`"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_vectors(path, tmp_path) -> None:
    wrong = []
    for number, script in enumerate(scripts(path)):
        try:
            replay_with(script, partial(SqliteStore, tmp_path / f"{number}.db"))
        except AssertionError as complaint:
            wrong.append(str(complaint))
    assert not wrong, "\n".join(wrong)
    print(f"\nvectors: python {path.stem} {len(scripts(path))}")


@pytest.mark.parametrize("script", STORES, ids=lambda script: script["name"])
def test_stores_in_databases(database, script) -> None:
    replay_with(script, partial(SqlStore, database.factory(database.make_again("suite"))))


def replay_with(script: dict[str, Any], make: partial) -> None:
    """Replays a script; a store's script on a store of `make`."""
    if script["kind"] != "store":
        return replay(script)
    stored = Tabled(script, make)
    replay(script, stored)
    stored.store.close()
