"""The vectors, replayed through the component; counts are printed and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.places import DIST, VECTORS
from support.replay import replay

# The host has the store: the component has its decisions, which are in `rows`.
FILES = sorted({*VECTORS.glob("*.json"), VECTORS / "partial/public.json"} - {VECTORS / "registry.json"})
# The interfaces that the component without imports has, too.
PURE = ("layouts", "text", "rows")


def wrong_ones(path: Path, component: Path) -> tuple[int, list[str]]:
    scripts = json.loads(path.read_text())["scripts"]
    wrong = []
    for script in scripts:
        try:
            replay(script, component)
        except AssertionError as complaint:
            wrong.append(str(complaint))
    return len(scripts), wrong



@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_vectors(path: Path) -> None:
    name = "leafid-public" if path.stem == "public" else "leafid"
    count, wrong = wrong_ones(path, DIST / f"{name}.wasm")
    assert not wrong, "\n".join(wrong)
    print(f"\nvectors: component {path.stem} {count}")


@pytest.mark.parametrize("name", PURE)
def test_vectors_of_the_pure_component(name: str) -> None:
    count, wrong = wrong_ones(VECTORS / f"{name}.json", DIST / "leafid-pure.wasm")
    assert count and not wrong, "\n".join(wrong)
