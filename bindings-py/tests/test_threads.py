"""Threads draw side by side, where the interpreter has no lock, and no ID comes twice."""

import sysconfig

import pytest

from support.run import report

HAS_LOCK = not sysconfig.get_config_var("Py_GIL_DISABLED")


@pytest.mark.parametrize(("what", "count", "threads"), [
    ("one", 20_000, 4), ("many", 20_000, 4), ("ends", 4_000, 3), ("loops", 4_000, 3), ("awaitable", 10_000, 4),
    ("collected", 2_000, 4), ("fork", 4_000, 3),
])  # fmt: skip
def test_no_id_comes_twice(tmp_path, what, count, threads) -> None:
    told = report("threads.py", what, tmp_path, count, threads)
    assert not told["failures"] and told["duplicates"] == 0
    assert told["ids"] >= {"awaitable": count, "collected": threads}.get(what, count * threads)
    assert told.get("uncounted", 0) == 0, "`stats` counts every ID"
    assert told.get("children", 20) == 20
    assert told["lock"] is HAS_LOCK, "the import has turned the lock on"


@pytest.mark.skipif(HAS_LOCK, reason="only one thread draws at a time")
def test_without_the_comparison_ids_come_twice(tmp_path, unguarded) -> None:
    assert report("threads.py", "one", tmp_path, 300_000, path=unguarded)["duplicates"] > 0
