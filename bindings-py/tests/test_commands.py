"""`python -m leafid` beside the command `leafid`: both are asked the same lists, which lie in
`tests/commands`; the other half is `server/tests/command/same.rs`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leafid.__main__ import main
from support.places import ROOT

LISTS = ROOT / "tests" / "commands"


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((LISTS / name).read_text())["cases"]
    return found


@pytest.mark.parametrize("case", cases("guesses.json"), ids=lambda case: " ".join(case["words"]))
def test_what_newcomers_meant(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    if case.get("only", "python") != "python":
        pytest.skip("this program knows the words")
    with pytest.raises(SystemExit) as end:
        main(case["words"])
    said = capsys.readouterr().err
    assert end.value.code == 2
    tips = [line.partition("tip: ")[2] for line in said.splitlines() if "tip: " in line]
    assert tips == ([] if case["meant"] is None else [case["meant"]]), said
    assert "s3cret" not in said


def test_the_same_words(tmp_path: Path) -> None:
    environment = {**os.environ, "LEAFID_STORE": f"sqlite:{tmp_path / 'ids.db'}"}

    def run(words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "leafid", *words],
            env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    assert run(["init", environment["LEAFID_STORE"]]).returncode == 0
    for case in cases("tags.json"):
        done = run(case["words"])
        assert done.returncode == case.get("exit", 0), (case, done)
        if "lines" in case:
            assert len(done.stdout.splitlines()) == case["lines"], (case, done)
        else:
            assert done.stdout == case.get("out", ""), case
        assert case.get("err", "") in done.stderr, (case, done)
