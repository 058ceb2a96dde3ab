"""The types that are published: the stubs are what the engine is, and a strict user compiles."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import leafid
from support.places import HERE, ROOT

TYPES = HERE / "types"
# The other modules of the package are typed where they are written.
STUBS = sorted(Path(leafid.__file__).parent.glob("*.pyi"))
# What libraries are is read once for this environment, and not again in each run.
CACHE = {"MYPY_CACHE_DIR": str(Path(sys.prefix, "mypy"))}
WRONG = {
    "a store that is none": 'leafid.Segment("orders", 17)',
    "a tag that is none": "leafid.Segment(17)",
    "an ID that is no text": "text: str = leafid.Segment('orders').next()",
    "a fill that counts": "filled: int = leafid.Segment('orders').fill(bytearray(8))",
    "a fill of a list": "leafid.Segment('orders').fill([0])",
    "an await that is missing": "number: int = leafid.Segment('orders').anext()",
    "no such verb": "leafid.Segment('orders').nextSync()",
}


def mypy(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder, env={**os.environ, **CACHE}, capture_output=True, text=True, timeout=600,
    )  # fmt: skip


def test_the_stubs_are_what_the_engine_is(tmp_path) -> None:
    modules = [f"leafid.{stub.stem}" for stub in STUBS]
    assert "leafid._native" in modules
    done = mypy("mypy.stubtest", *modules, "--concise", folder=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_strict_user_compiles(tmp_path) -> None:
    sources = [*sorted(TYPES.glob("*.py")), ROOT / "examples/python-fastapi/main.py"]
    done = mypy("mypy", "--strict", *map(str, sources), folder=tmp_path)
    assert done.returncode == 0 and "in 3 source files" in done.stdout, done.stdout


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> str:
    """What mypy has to say to all wrong users."""
    folder = tmp_path_factory.mktemp("wrong")
    for name, line in WRONG.items():
        (folder / f"{name.replace(' ', '_')}.py").write_text(f"import leafid\n{line}\n")
    done = mypy("mypy", "--strict", ".", folder=folder)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_user_does_not(told, name) -> None:
    assert f"{name.replace(' ', '_')}.py:2: error:" in told, told
