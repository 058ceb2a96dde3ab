"""The conformance suite of a store, replayed over `sqlite:`."""

from __future__ import annotations

import json

import pytest

from support.places import VECTORS
from support.replay import Filed, replay


def scripts() -> list[dict]:
    read = [json.loads((VECTORS / f"{name}.json").read_text()) for name in ("registry", "errors")]
    return [script for file in read for script in file["scripts"] if script["kind"] == "store"]


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script["name"])
def test_it_gives_what_the_vectors_say(tmp_path, script) -> None:
    filed = Filed(script, tmp_path / "ids.db")
    replay(script, filed)
    filed.store.close()


def test_a_wrong_answer_is_found(tmp_path) -> None:
    (script,) = [one for one in scripts() if one["name"].startswith("numbers from one")]
    script["steps"][0]["gives"]["end"] = "1002"
    with pytest.raises(AssertionError, match="step 1"):
        replay(script, Filed(script, tmp_path / "ids.db"))
