"""Gives windows back in children that end without exit handlers, and handles images of a process.

`multiprocessing` ends a forked child by `os._exit`, after its own finalizers; celery's pool sends a
signal. Without these hooks each child would hold a worker number until its window ends. Only
libraries that are imported already are touched.
"""

import os
import sys
import time

from ._native import close_all, forget_all, release_all

# The longest wait of a fork for another thread's import, in s.
_IMPORTED_WITHIN = 5.0


def watch() -> None:
    """Registers the hooks for forked children, and for images on platforms that have them."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_finish_imports, after_in_child=_in_child)
    # A spawned child, or one of a fork server, imports leafid itself.
    _in_child()
    # AWS Lambda stores an image of the process and resumes many.
    if os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start":
        _at_snapshots()


def _finish_imports() -> None:
    """Waits for what another thread imports for the first time: a child would wait for that thread for ever.

    Not by an import, which has no time-out: the other thread may wait for a lock that this one took for the fork.
    """
    from . import _values as _values

    end = time.monotonic() + _IMPORTED_WITHIN
    for name in ("leafid._aio", "leafid._sql"):
        while _is_being_imported(name) and time.monotonic() < end:
            time.sleep(0.001)


def _is_being_imported(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


def _in_child() -> None:
    process = sys.modules.get("multiprocessing.process")
    util = sys.modules.get("multiprocessing.util")
    if util is not None and hasattr(util, "Finalize"):
        if process is not None and process.parent_process() is not None:
            _at_the_end()
        # A child's bootstrap drops inherited finalizers, then calls these functions.
        util.register_after_fork(watch, _at_the_end)
    signals = sys.modules.get("celery.signals")
    if signals is not None and hasattr(signals, "worker_process_shutdown"):
        # The processes of celery's pool run no finalizers.
        signals.worker_process_shutdown.connect(_in_celery, weak=False, dispatch_uid="leafid")


def _at_the_end(*_key: object) -> None:
    # After all finalizers of the application, which may still draw.
    sys.modules["multiprocessing.util"].Finalize(None, close_all, exitpriority=-1_000)


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
