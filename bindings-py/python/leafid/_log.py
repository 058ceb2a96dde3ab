"""The daemon thread that writes background events to the logger `leafid`."""

import logging
import threading

from ._native import begin_log, log_ended, next_event

_LOG = logging.getLogger("leafid")


def start() -> None:
    """Starts the thread, if the logger has handlers and the thread does not run yet in this process."""
    if _LOG.hasHandlers() and begin_log():
        try:
            threading.Thread(target=_write, name="leafid log", daemon=True).start()
        except RuntimeError:
            log_ended()  # The system gave no thread; the next start tries again.


def _write() -> None:
    try:
        while (event := next_event()) is not None:
            is_warning, message = event
            _LOG.log(logging.WARNING if is_warning else logging.INFO, "%s", message)
    finally:
        log_ended()
