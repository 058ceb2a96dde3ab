"""Checks a file before SQLite opens it, and watches that it stays the same file."""

import os
import stat
from pathlib import Path

from ... import errors

# File systems over a network, where locks and shared memory do not work.
_NETWORK = set("nfs nfs4 smbfs smb3 cifs 9p afs ceph lustre gpfs gfs2 ocfs2".split())


def path_of(place: str | os.PathLike[str]) -> Path:
    """The absolute path of `sqlite:PATH`, or of a path.

    Raises `REQUEST_INVALID` for anything else.
    """
    path = os.fspath(place)
    path = os.fsdecode(path).removeprefix("sqlite:")
    if not path:
        raise errors.RequestInvalidError("`sqlite:` needs a path, such as `sqlite:ids.db`")
    try:
        is_path = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_path = False
    if not is_path:
        raise errors.RequestInvalidError(f"the path of a store cannot be {path!r:.80}")
    return Path(os.path.abspath(path))


def check(path: Path) -> str | None:
    """Refuses a file that must not be opened. Returns why it has no store, such as `does not exist`, or `None`."""
    if not path.parent.exists():
        raise errors.StoreUnknownError(
            f"the folder `{path.parent}` does not exist; if the path is right, make it first: "
            f"mkdir -p {path.parent}"
        )
    if path.is_dir():
        raise errors.StoreUnknownError(
            f"sqlite:{path} is a folder; name a file in it: sqlite:{path}/leafid.db"
        )
    _refuse_mounts(path)
    absent = _absent(path)
    log = Path(f"{os.path.realpath(path)}-wal")
    # Checks the file again: another process may have made it since, always before its log.
    if absent is not None and _has_content(log) and (absent := _absent(path)) is not None:
        raise errors.StoreRefusedError(
            f"`{path}` is gone, but its log `{log}` is there, and holds what was granted last; put "
            "that very file back beside it; if it is lost, no copy or backup can take its place: move "
            f"`{log}` and `{path}-shm` away, those that are there, and make a new store: leafid init "
            f"--replaces-lost --store sqlite:{path}"
        )
    return absent


def _absent(path: Path) -> str | None:
    try:
        seen = path.stat()
    except FileNotFoundError:
        return "does not exist"
    if not stat.S_ISREG(seen.st_mode):
        return None
    if seen.st_nlink > 1 and os.name == "posix":
        cure = "remove all names but the one that it is opened by"
        raise _second(path, f"has {seen.st_nlink} names (hard links)", cure)
    return "is an empty file" if seen.st_size == 0 else None


def _has_content(log: Path) -> bool:
    try:
        return log.stat().st_size > 0
    except FileNotFoundError:
        return False


def _refuse_mounts(path: Path) -> None:
    """Refuses network file systems, and a file that is itself a mount point."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return
    real = os.path.realpath(path)
    longest, kind = -1, ""
    for line in mounts:
        before, _, after = line.partition(" - ")
        point = _unescaped(before.split()[4])
        if point == real:
            cure = "mount the folder that it lies in, not the file"
            raise _second(path, "is mounted by itself", cure)
        if os.path.commonpath([point, real]) == point and len(point) >= longest:
            longest, kind = len(point), after.split()[0]
    if kind in _NETWORK:
        raise errors.StoreRefusedError(
            f"`{path}` lies on a network file system ({kind}), where locks cannot be trusted; move it "
            "to a local disk"
        )


def _second(path: Path, what: str, cure: str) -> errors.LeafidError:
    return errors.StoreRefusedError(
        f"`{path}` {what}, and a program that opens it at its other place would grant the same "
        f"numbers again; {cure}"
    )


def _unescaped(point: str) -> str:
    """A mount point with its escapes undone: blanks and backslashes as three octal digits."""
    for letter in " \t\n\\":
        point = point.replace(f"\\{ord(letter):03o}", letter)
    return point


class Watch:
    """Watches that the file and its log are those that were opened."""

    def __init__(self, path: Path) -> None:
        self.path, self.opened = path, _identity(path)
        self.log = Path(f"{os.path.realpath(path)}-wal")
        self.logged: tuple[int, int] | None = None
        self.gone: errors.LeafidError | None = None

    def begin(self) -> None:
        """Checks the file before it is opened again; its log may be gone since it was closed."""
        self.logged = None
        self.look()

    def look(self) -> None:
        """Raises from the first time on that one of them was replaced or removed."""
        if self.gone is None:
            self.gone = self._look()
        if self.gone is not None:
            raise type(self.gone)(str(self.gone))

    def _look(self) -> errors.LeafidError | None:
        for path, known in ((self.path, self.opened), (self.log, self.logged)):
            found = _identity(path)
            if known is not None and found != known:
                what = "was replaced" if found else "was removed or moved"
                return errors.StoreRefusedError(
                    f"`{path}` {what} while it is open, so what is granted now would be forgotten; nothing is "
                    "granted: stop this process, then put that very file back if it was moved; a copy or a "
                    "backup cannot take its place, since it would grant again what was granted after it was "
                    "made; if the file is lost, make a new store: leafid init --replaces-lost"
                )
        self.logged = self.logged or _identity(self.log)
        return None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        seen = path.stat()
    except FileNotFoundError:
        return None
    return seen.st_dev, seen.st_ino
