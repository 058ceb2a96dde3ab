"""`python -m leafid`: the program `leafid`, which `pip install 'leafid[server]'` brings."""

import os
import shutil
import subprocess
import sys
from importlib import metadata


def _program() -> str | None:
    try:
        files = metadata.files("leafid-server") or []
    except metadata.PackageNotFoundError:
        files = []
    # Beside this environment's other programs, which need not be in the PATH.
    own = (file.locate() for file in files if file.stem == "leafid" and file.suffix in ("", ".exe"))
    return next(map(str, own), None) or shutil.which("leafid")


def main() -> int:
    """Becomes the program, or runs it where the system has no such thing; returns the exit code."""
    program = _program()
    if program is None:
        print("leafid: there is no program `leafid`: pip install 'leafid[server]'", file=sys.stderr)
        return 1
    command = [program, *sys.argv[1:]]
    if os.name == "nt":
        return subprocess.call(command)
    os.execv(program, command)


if __name__ == "__main__":
    sys.exit(main())
