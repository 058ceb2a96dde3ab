"""The end of a run, however its tests go: nothing waits for ever, and no started process stays."""

import contextlib
import ctypes
import os
import shutil
import signal
import sys
from pathlib import Path

# The longest life of a forked child of a test, in s; waits for one are shorter.
CHILD_S = 180
LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_KEPT: set[int] = set()


def bound() -> list[str]:
    """A prefix for commands, by which their processes are killed when this one ends, however it ends."""
    found = shutil.which("setpriv")
    return [found, "--pdeathsig=KILL"] if found else []


def keep(pid: int) -> None:
    """Lets a process live from test to test."""
    _KEPT.add(pid)


def watch_children() -> None:
    """Limits the life of every forked child, and makes this process adopt orphans of its processes."""
    os.register_at_fork(after_in_child=_in_child)
    if LINUX:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _in_child() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(CHILD_S)
    if LINUX:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


# `PyDLL` keeps the interpreter lock: a child of a process with many threads would not get it back.
_LIBRARY = ctypes.PyDLL(None) if LINUX else None


def _prctl(what: int, value: int) -> None:
    if _LIBRARY is not None:
        _LIBRARY.prctl(what, value, 0, 0, 0)


def left() -> list[int]:
    """The running children of this process, adopted ones included, without those that may live longer than a
    test."""
    listed: list[str] = []
    for children in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):  # The thread has ended meanwhile.
            listed += children.read_text().split()
    return [pid for pid in map(int, listed) if pid not in _KEPT and _runs(pid)]


def kill(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def shown(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        words = []
    return f"{pid}: {b' '.join(words).decode(errors='replace')[:200]}"


def _runs(pid: int) -> bool:
    """Whether a process exists, and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
