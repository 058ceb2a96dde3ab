"""Processes that draw (`drawing.py`) until they are ended, and what they wrote down."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.ending import bound
from support.places import HERE

DRAWING = HERE / "support/drawing.py"


def draw(kind: str, store: object, file: Path, count: int, *words: str) -> subprocess.Popen[str]:
    command = [*bound(), sys.executable, DRAWING, kind, store, file, count, *words]
    return subprocess.Popen([*map(str, command)], stderr=subprocess.PIPE, text=True)


@contextmanager
def all_ended() -> Iterator[list[subprocess.Popen[str]]]:
    """Ends all that are in the list by then."""
    processes: list[subprocess.Popen[str]] = []
    try:
        yield processes
    finally:
        for process in processes:
            end(process)


def begun(files: list[Path]) -> bool:
    """Whether each of them was written to."""
    return all(file.exists() and file.stat().st_size for file in files)


def count(folder: Path, what: str) -> tuple[int, int]:
    """How many IDs were written down, and how many of them are duplicates."""
    ids = drawn(folder)
    duplicates = len(ids) - len(set(ids))
    print(f"{what}: {len(ids)} IDs, {duplicates} duplicates")
    return len(ids), duplicates


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
