"""The vectors, replayed through the installed package; counts are printed and compared."""

from __future__ import annotations

import json

import pytest

from support.places import VECTORS
from support.replay import replay

FILES = sorted([*VECTORS.glob("*.json"), *VECTORS.glob("partial/public.json")])


def test_there_are_vectors() -> None:
    assert FILES, f"no vectors in `{VECTORS}`"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_vectors(path) -> None:
    scripts = json.loads(path.read_text())["scripts"]
    wrong = []
    for script in scripts:
        try:
            replay(script)
        except AssertionError as complaint:
            wrong.append(str(complaint))
    assert not wrong, "\n".join(wrong)
    print(f"\nvectors: python {path.stem} {len(scripts)}")
