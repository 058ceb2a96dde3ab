"""The path of a store's file, and a watch that it stays the same file."""

import os
from pathlib import Path

from ... import errors


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
        # The log may be replaced until this process has opened it: the process that closes the file last removes it.
        self.logged = None

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
