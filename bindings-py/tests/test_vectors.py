"""Replays the vectors with the installed package; counts are printed and compared. Vectors of stores run on a file,
and on databases. Those of generators and of the table of codes are replayed by Rust, whose core Python calls."""

import json
from functools import partial
from typing import Any

import pytest

from leafid import SqliteStore, SqlStore
from support.places import VECTORS
from support.replay import Tabled, replay

KINDS = {"layouts", "text", "store", "rows", "public"}
FILES: dict[str, list[dict[str, Any]]] = {
    path.stem: json.loads(path.read_text())["scripts"]
    for path in sorted([*VECTORS.glob("*.json"), *VECTORS.glob("partial/public.json")])
}
OWN = {name: own for name, all in FILES.items() if (own := [script for script in all if script["kind"] in KINDS])}
STORES = [script for own in OWN.values() for script in own if script["kind"] == "store"]


def test_there_are_vectors() -> None:
    assert {"layouts", "text", "rows", "public"} <= OWN.keys() and STORES, f"no vectors in `{VECTORS}`"


@pytest.mark.parametrize("name", OWN)
def test_vectors(name: str, tmp_path) -> None:
    wrong = []
    for number, script in enumerate(OWN[name]):
        try:
            replay_with(script, partial(SqliteStore, tmp_path / f"{number}.db"))
        except AssertionError as complaint:
            wrong.append(str(complaint))
    assert not wrong, "\n".join(wrong)
    if len(OWN[name]) == len(FILES[name]):
        print(f"\nvectors: python {name} {len(OWN[name])}")


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
