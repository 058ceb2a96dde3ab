"""Children that end without the end of their interpreter, and images of a process.

`multiprocessing` ends a forked child by `os._exit`, after its own finalizers; celery's pool has a
signal for it. Windows are given back there; else each child would hold a worker number until its
window is over. Of both, only what is imported already is touched.
"""

from __future__ import annotations

import os
import sys

from ._native import close_all, forget_all, release_all

# As in `__init__`: for type checkers alone.
_TYPE_CHECKING = bool()
if _TYPE_CHECKING:
    from typing import Any

# After everything of the application's own, which may still draw.
_LAST = -1_000


class _Key:
    """What `register_after_fork` keeps weakly."""


_KEY = _Key()


def watch() -> None:
    """Notices forked children, and images where there are any."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_in_child)
    # A child of a fork server, and one that is spawned, imports leafid by itself.
    _in_child()
    # AWS Lambda stores an image of the process and resumes many.
    if os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start":
        _at_snapshots()


def _in_child() -> None:
    process: Any = sys.modules.get("multiprocessing.process")
    util: Any = sys.modules.get("multiprocessing.util")
    if util is not None and hasattr(util, "Finalize"):
        if process is not None and process.parent_process() is not None:
            _at_the_end(util)
        # The bootstrap of a child throws away the finalizers that it finds, then calls these.
        util.register_after_fork(_KEY, lambda _key: _at_the_end(util))
    signals: Any = sys.modules.get("celery.signals")
    if signals is not None and hasattr(signals, "worker_process_shutdown"):
        # The processes of its pool run no finalizers at all.
        signals.worker_process_shutdown.connect(_in_celery, weak=False, dispatch_uid="leafid")


def _at_the_end(util: Any) -> None:
    util.Finalize(None, close_all, exitpriority=_LAST)


def _in_celery(**_told: object) -> None:
    release_all()


def _at_snapshots() -> None:
    try:
        import snapshot_restore_py  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return
    # What is given back is held by no image; what an image holds all the same is dropped by each.
    snapshot_restore_py.register_before_snapshot(release_all)
    snapshot_restore_py.register_after_restore(forget_all)
