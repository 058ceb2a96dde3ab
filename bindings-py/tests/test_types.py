"""The published types: the stubs match the engine, and strict users' code type-checks."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import leafid
from support.places import HERE, ROOT

TYPES = HERE / "types"
# The package's other modules have inline types.
STUBS = sorted(Path(leafid.__file__).parent.glob("*.pyi"))
# Caches the libraries' types once per environment.
CACHE = {"MYPY_CACHE_DIR": str(Path(sys.prefix, "mypy"))}


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


def test_editors_show_what_the_engine_says() -> None:
    """A native module has no source to read docstrings in: the stub has them too, the same."""
    told, hidden = 0, {"_Generator": leafid.Generator, "_Store": leafid.HttpStore.__base__}
    for node in ast.parse(Path(leafid.__file__).with_name("_native.pyi").read_text()).body:
        name = getattr(node, "name", "")
        engines = hidden.get(name) or getattr(leafid._native, name, None)
        if engines is None:
            continue
        for stub in [node, *(inner for inner in node.body if isinstance(inner, ast.FunctionDef))]:
            if text := ast.get_docstring(stub):
                own = engines if stub is node else getattr(engines, stub.name)
                assert text.split() == own.__doc__.split(), f"{name}.{stub.name}"
                told += 1
    assert told > 50, told
