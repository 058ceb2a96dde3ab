"""Runs Python programs with the installed wheel or with the unguarded build."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import leafid
from support.ending import bound
from support.places import HERE, ROOT


def python(*words: object, path: Path | None = None, timeout: float = 300, more: dict[str, str] | None = None) -> str:
    """The output of a script, with `more` in its environment; it must succeed without errors."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | (more or {})
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert not done.stderr, done.stderr
    return done.stdout


def code(text: str, *words: object, timeout: float = 300, more: dict[str, str] | None = None) -> str:
    """The output of a program that is given as text."""
    return python("-c", textwrap.dedent(text), *words, timeout=timeout, more=more)


def report(script: str, *words: object, path: Path | None = None) -> dict[str, Any]:
    """The report of a script of this folder: its last line, in JSON."""
    told: dict[str, Any] = json.loads(python(HERE / "support" / script, *words, path=path).splitlines()[-1])
    print(script, words, told)
    return told


@contextmanager
def running(text: str, *words: object) -> Iterator[subprocess.Popen[str]]:
    """Runs a program meanwhile; it is killed if it has not ended."""
    process = subprocess.Popen(
        [*bound(), sys.executable, "-c", textwrap.dedent(text), *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def unguarded(folder: Path) -> Path:
    """Builds a leafid without guards into a folder: the control for tests of forks and state files."""
    command = ["cargo", "build", "--locked", "-p", "leafid-py"]
    # In its own target folder: this library has the wheel's name, and would replace it.
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "unguarded"
    command += ["--features", "unguarded", "--target-dir", str(target)]
    how = {**os.environ, "CARGO_PROFILE_DEV_DEBUG": "0"}
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        # The stable interface is for interpreters with the lock.
        config = folder / "pyo3"
        config.write_text(f"implementation=CPython\nversion={sysconfig.get_python_version()}\nbuild_flags=Py_GIL_DISABLED\n")
        how["PYO3_CONFIG_FILE"] = str(config)
    subprocess.run(command, cwd=ROOT, env=how, check=True, timeout=600)
    package = folder / "leafid"
    shutil.copytree(Path(leafid.__file__).parent, package)
    (engine,) = package.glob("_native*.so")
    shutil.copyfile(target / "debug/lib_native.so", engine)
    return folder
