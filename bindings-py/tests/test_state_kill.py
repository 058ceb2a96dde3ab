"""Processes with a state file, killed again and again, while their store is away."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.places import HERE
from support.waiting import until

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="there are state files on Linux only"
)
KEEPING = HERE / "support/keeping.py"
# Lives that have to do without the store, and how many there may be until there were so many.
ALONE, MOST = 3, 12
# In `edge` a tick has 64 IDs: more than the second that a file reserves at a time …
COUNT = 70_000
# … and more than a life lasts on a busy machine.
COUNT_OF_CONTROL = 400_000
# A window is over some time, and a life on a busy machine as well.
ALONE_S = 8.0


def drawn(file: Path) -> list[int]:
    """What was written down. A kill may cut the last line of a file: it is no ID."""
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    return [int(line) for line in lines if line.endswith("\n")]


def live(server, folder: Path, count: int, path: Path | None) -> Iterator[tuple[list[int], bool]]:
    """One life after another: what it was given, and whether it was alone."""
    server.create_namespace("edge", layout="edge")
    environment = dict(os.environ)
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    for life in range(MOST):
        file = folder / f"{life}.ids"
        command = [sys.executable, KEEPING, server.url, folder / "state", file, count]
        process = subprocess.Popen(
            [*map(str, command)], env=environment, stderr=subprocess.PIPE, text=True
        )
        alone = server.process is None

        def enough() -> bool:
            assert process.poll() is None, process.communicate()
            return file.exists() and file.read_bytes().count(b"\n") >= count

        try:
            if alone and not until(enough, ALONE_S):
                # Its window is used up: it needs the store.
                alone = False
                server.start()
            assert until(enough), f"life {life} was given {len(drawn(file))} IDs"
        finally:
            process.kill()
            process.communicate()
            if server.process is not None:
                server.kill()
        yield drawn(file), alone


def test_a_killed_process_goes_on_while_the_store_is_away(server, tmp_path) -> None:
    ids: list[int] = []
    lives = alone = 0
    for part, was_alone in live(server, tmp_path, COUNT, None):
        ids, lives, alone = ids + part, lives + 1, alone + was_alone
        if alone == ALONE:
            break
    duplicates = len(ids) - len(set(ids))
    print(f"state file: {lives} lives, {alone} without the store, {len(ids)} IDs, {duplicates} duplicates")
    assert alone == ALONE and duplicates == 0
    assert ids == sorted(ids), "each life goes on above the one before"


def test_without_the_writes_something_is_given_twice(server, tmp_path, unguarded) -> None:
    ids: list[int] = []
    lives = duplicates = 0
    for part, _ in live(server, tmp_path, COUNT_OF_CONTROL, unguarded):
        ids, lives = ids + part, lives + 1
        duplicates = len(ids) - len(set(ids))
        if duplicates > 0:
            break
    print(f"state file that is not written: {lives} lives, {len(ids)} IDs, {duplicates} duplicates")
    assert duplicates > 0
