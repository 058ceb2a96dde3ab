"""`python -m leafid` and the command `leafid` behave the same: both run the list in `tests/commands`;
for the command, `server/tests/command/verbs.rs` does."""

import json
import subprocess
from typing import Any

import pytest

from leafid.__main__ import main
from support.places import BINARY, ROOT
from support.run import python

LISTS = ROOT / "tests" / "commands"


@pytest.mark.parametrize(("words", "says"), [
    (["tag", "create", "orders"], "no store was given: pass --store sqlite:PATH, or set LEAFID_STORE"),
    (["tag", "list", "--store", "ids.db"], "did you mean sqlite:ids.db?"),
    (["init", "--store", "ids.db"], "did you mean sqlite:ids.db?"),
    (["tag", "list", "--store", "http://h"], "a separate binary: leafid tag list --store http://h"),
])  # fmt: skip
def test_a_store_that_is_none(words: list[str], says: str, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.delenv("LEAFID_STORE", raising=False)
    assert main(words) == 1
    said = capsys.readouterr().err
    assert said.startswith("leafid: REQUEST_INVALID: ") and says in said


@pytest.mark.parametrize(("words", "is_of_the_binary"), [
    (["serve", "postgres://u:s3cret@h/d"], True), (["snowflakes"], False), (["tag", "add", "orders"], False),
])  # fmt: skip
def test_a_verb_of_the_binary(words: list[str], is_of_the_binary: bool, capsys: Any) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    said = capsys.readouterr().err
    assert end.value.code == 2 and "s3cret" not in said
    assert ("`serve` is of the program `leafid`" in said) == is_of_the_binary


def test_the_same_words(place, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("LEAFID_STORE", place.url)

    def run(*words: str, ends: int = 0) -> Any:
        try:
            ended = main([*words])
        except SystemExit as end:
            ended = end.code
        said = capsys.readouterr()
        assert ended == ends, (words, said)
        return said

    assert "STORE_UNKNOWN" in run("tag", "create", "orders", ends=1).err
    # The program itself once; then its `main`, which saves an interpreter per line.
    said = python("-m", "leafid", "init", "--store", place.url)
    assert place.open().id in said
    assert "STORE_REFUSED" in run("init", "--store", place.url, ends=1).err, "it is not made again"
    for case in json.loads((LISTS / "tags.json").read_text())["cases"]:
        done = run(*case["words"], ends=case.get("exit", 0))
        if "lines" in case:
            assert len(done.out.splitlines()) == case["lines"], (case, done)
        else:
            assert done.out == case.get("out", ""), case
        assert case.get("err", "") in done.err, (case, done)
    # The other program reads the store.
    words = [BINARY, "tag", "list", "--store", place.url]
    assert "orders" in subprocess.run(words, capture_output=True, text=True, timeout=300).stdout
