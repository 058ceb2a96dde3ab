"""The examples of the README run unchanged."""

import re
from pathlib import Path

from support.places import HERE

README = HERE.parent / "README.md"
QUICK_START = HERE.parent.parent / "README.md"


def run(readme: Path) -> tuple[int, dict[str, object]]:
    """Runs all Python blocks of a page in order; returns their count and their variables."""
    blocks = re.findall(r"^```python\n(.*?)^```", readme.read_text(), re.S | re.M)
    names: dict[str, object] = {}
    for block in blocks:
        # Without this file's `__future__` imports.
        exec(compile(block, str(readme), "exec", dont_inherit=True), names)
    return len(blocks), names


def test_the_quick_start_runs(server, monkeypatch, capsys) -> None:
    server.create_tag("orders")
    monkeypatch.setenv("LEAFID_STORE", server.url)
    blocks, _ = run(QUICK_START)
    assert blocks == 1
    assert capsys.readouterr().out == "1\n"


def test_the_readme_runs(server, postgres, monkeypatch, tmp_path) -> None:
    server.create_tag("orders", step=5_000)
    monkeypatch.setenv("LEAFID_STORE", server.url)
    monkeypatch.setenv("HOSTNAME", "ids-0")
    monkeypatch.setenv("DATABASE_URL", postgres.url(postgres.make()))
    monkeypatch.chdir(tmp_path)
    blocks, names = run(README)
    assert blocks >= 8 and names["invoice_id"] == 1
    assert names["order_id"] > 0 and names["filled"] > 0
    assert names["parts"].worker >= 0
    assert (names["bill_id"], names["page_id"] > 0) == (1, True)
