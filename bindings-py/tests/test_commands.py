"""`python -m leafid` is the program `leafid`, of the wheel `leafid-server`."""

import os
import subprocess
import sys


def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=60)


def test_it_is_the_program(tmp_path) -> None:
    url, nowhere = f"sqlite:{tmp_path}/ids.db", {"PATH": "", "XDG_STATE_HOME": str(tmp_path)}
    assert run("-m", "leafid", "init", "--store", url, **nowhere).returncode == 0
    made = run("-m", "leafid", "tag", "create", "orders", "--store", url, **nowhere)
    assert "tag `orders` created" in made.stdout, made
    refused = run("-m", "leafid", "tag", "create", "orders", "--store", url, **nowhere)
    assert refused.returncode == 1 and "TAG_EXISTS" in refused.stderr


def test_without_it_the_command_that_installs_it_is_named() -> None:
    program = """
import sys
from importlib import metadata
def none(name): raise metadata.PackageNotFoundError(name)
metadata.files = none
import leafid.__main__
sys.exit(leafid.__main__.main())
"""
    done = run("-c", program, PATH="")
    assert done.returncode == 1 and "pip install 'leafid[server]'" in done.stderr, done
