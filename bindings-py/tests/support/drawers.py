"""Processes that draw (`drawing.py`) until they are ended, and what they wrote down."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.ending import bound
from support.places import HERE

DRAWING = HERE / "support/drawing.py"


def draw(kind: str, store: object, file: Path, count: int, *words: str) -> subprocess.Popen[str]:
    command = [*bound(), sys.executable, DRAWING, kind, store, file, count, *words]
    return subprocess.Popen([*map(str, command)], stderr=subprocess.PIPE, text=True)


def drawn(folder: Path) -> list[int]:
    """What was written down. A kill may cut the last line of a file: it is no ID."""
    ids = []
    for file in folder.glob("*.ids"):
        lines = file.read_text().splitlines(keepends=True)
        ids += [int(line) for line in lines if line.endswith("\n")]
    return ids


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("*.ids"))


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
