"""The types that are published: the stubs are what the engine is, and a strict user compiles."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support.places import HERE, ROOT

if not os.environ.get("CI"):
    for needed in ("mypy", "numpy"):
        why = f"{needed} is not installed: the published types are NOT checked"
        pytest.importorskip(needed, reason=why)

TYPES = HERE / "types"
WRONG = {
    "a store that is none": 'leafid.Segment("orders", 17)',
    "a tag that is none": "leafid.Segment(17)",
    "an ID that is no text": "text: str = leafid.Segment('orders').next()",
    "a fill that counts": "filled: int = leafid.Segment('orders').fill(bytearray(8))",
    "a fill of a list": "leafid.Segment('orders').fill([0])",
    "an await that is missing": "number: int = leafid.Segment('orders').anext()",
    "no such verb": "leafid.Segment('orders').nextSync()",
}


def mypy(*words: str, folder) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    # One cache for all: libraries are read once.
    variables = {**os.environ, "MYPY_CACHE_DIR": str(folder.parent / "mypy")}
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, timeout=600
    )


def test_the_stubs_are_what_the_engine_is(tmp_path) -> None:
    known = ["--allowlist", str(TYPES / "allowlist.txt")]
    done = mypy("mypy.stubtest", "leafid", "--concise", *known, folder=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_strict_user_compiles(tmp_path) -> None:
    sources = [*sorted(TYPES.glob("*.py")), ROOT / "examples/python-fastapi/main.py"]
    done = mypy("mypy", "--strict", *map(str, sources), folder=tmp_path)
    assert done.returncode == 0 and "in 3 source files" in done.stdout, done.stdout


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_user_does_not(tmp_path, name) -> None:
    (tmp_path / "user.py").write_text(f"import leafid\n{WRONG[name]}\n")
    assert mypy("mypy", "--strict", "user.py", folder=tmp_path).returncode == 1
