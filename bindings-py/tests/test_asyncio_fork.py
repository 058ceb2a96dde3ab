"""A process that forks while its event loop runs."""

from __future__ import annotations

import os

import pytest

from support.run import report

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


@pytest.mark.parametrize("kind", ["segment", "snowflake"])
def test_children_of_a_running_loop_draw_no_duplicate(server, tmp_path, kind) -> None:
    server.create_tag("forked", step=5_000, max_step=5_000)
    told = report("forked_loop.py", kind, server.url, 4, 2_000, tmp_path)
    assert told["failed"] == 0 and told["duplicates"] == 0
    assert told["waits"] >= 1 and told["in_hand"] > 0
    assert told["ids"] >= 5 * 2_000 + 3 * 4_000


def test_without_the_guard_they_draw_duplicates(server, tmp_path, unguarded) -> None:
    server.create_tag("forked", step=100_000)
    # Who waited in the parent would be waited for in the children.
    told = report("forked_loop.py", "segment", server.url, 4, 2_000, tmp_path, "alone", path=unguarded)
    assert told["in_hand"] > 2_000
    assert told["duplicates"] > 0
