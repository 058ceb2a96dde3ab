"""A process that forks while its event loop runs."""

from __future__ import annotations

import json
import os

import pytest

from support.places import HERE
from support.run import python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
FORKED = HERE / "support/forked_loop.py"


def forked(kind, server, folder, *words, path=None):
    folder.mkdir(exist_ok=True)
    said = python(FORKED, kind, server.url, 4, 2_000, folder, *words, path=path)
    told = json.loads(said.splitlines()[-1])
    print(f"fork in a loop, {kind}: {told}")
    return told


@pytest.mark.parametrize("kind", ["segment", "snowflake"])
def test_children_of_a_running_loop_draw_no_duplicate(server, tmp_path, kind) -> None:
    server.create_tag("forked", step=5_000, max_step=5_000)
    told = forked(kind, server, tmp_path / "drawn")
    assert told["failed"] == 0 and told["duplicates"] == 0
    assert told["waits"] >= 1 and told["in_hand"] > 0
    assert told["ids"] >= 5 * 2_000 + 3 * 4_000


def test_without_the_guard_they_draw_duplicates(server, tmp_path, unguarded) -> None:
    server.create_tag("forked", step=100_000)
    # Who waited in the parent would be waited for in the children.
    told = forked("segment", server, tmp_path / "drawn", "alone", path=unguarded)
    assert told["in_hand"] > 2_000
    assert told["duplicates"] > 0
