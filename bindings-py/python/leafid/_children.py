"""Gives windows back in children that end without exit handlers, and handles images of a process.

`multiprocessing` ends a forked child by `os._exit`, after its own finalizers; celery's pool sends a
signal. Without these hooks each child would hold a worker number until its window ends. Only
libraries that are imported already are touched.
"""

from __future__ import annotations

import os
import sys

from ._native import close_all, forget_all, release_all

# As in `__init__`: False, but type checkers read its blocks.
_TYPE_CHECKING = bool()
if _TYPE_CHECKING:
    from typing import Any

# After all finalizers of the application, which may still draw.
_LAST = -1_000


class _Key:
    """A key that `register_after_fork` can reference weakly."""


_KEY = _Key()


def watch() -> None:
    """Registers the hooks for forked children, and for images on platforms that have them."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_in_child)
    # A spawned child, or one of a fork server, imports leafid itself.
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
        # A child's bootstrap drops inherited finalizers, then calls these functions.
        util.register_after_fork(_KEY, lambda _key: _at_the_end(util))
    signals: Any = sys.modules.get("celery.signals")
    if signals is not None and hasattr(signals, "worker_process_shutdown"):
        # The processes of celery's pool run no finalizers.
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
    # Given back before the image, so that it holds no ranges; each copy drops any it holds anyway.
    snapshot_restore_py.register_before_snapshot(release_all)
    snapshot_restore_py.register_after_restore(forget_all)
