"""Error messages about files: what happened, then what to do."""

from pathlib import Path

from ... import errors


def foreign(path: Path, why: str) -> errors.LeafidError:
    return errors.SchemaMismatchError(f"`{path}` is not a leafid store: {why}")


def cannot_write(path: Path, said: str) -> errors.LeafidError:
    return errors.ForbiddenError(
        f"this user cannot write `{path}`: {said}; allow writing to the file and its folder"
    )


def orphan(path: Path, log: Path) -> errors.LeafidError:
    return errors.StoreRefusedError(
        f"`{path}` is gone, but its log `{log}` is there, and holds what was granted last; put "
        "that very file back beside it; if it is lost, no copy or backup can take its place: move "
        f"`{log}` and `{path}-shm` away, those that are there, and make a new store: leafid init "
        f"--replaces-lost --store sqlite:{path}"
    )


def second(path: Path, what: str, cure: str) -> errors.LeafidError:
    return errors.StoreRefusedError(
        f"`{path}` {what}, and a program that opens it at its other place would grant the same "
        f"numbers again; {cure}"
    )


def network(path: Path, kind: str) -> errors.LeafidError:
    return errors.StoreRefusedError(
        f"`{path}` lies on a network file system ({kind}), where locks cannot be trusted; move it "
        "to a local disk"
    )


def gone(path: Path, what: str) -> errors.LeafidError:
    return errors.StoreRefusedError(
        f"`{path}` {what} while it is open, so what is granted now would be forgotten; nothing is "
        "granted: stop this process, then put that very file back if it was moved; a copy or a "
        "backup cannot take its place, since it would grant again what was granted after it was "
        "made; if the file is lost, make a new store: leafid init --replaces-lost"
    )


def settings(journal: object, synchronous: object) -> errors.LeafidError:
    return errors.StoreRefusedError(
        "the settings that make a grant durable do not work here: journal_mode is "
        f"`{journal}` instead of `wal`, synchronous is {synchronous} instead of 2; move the store "
        "to a local disk"
    )


def without_transaction(path: Path) -> errors.LeafidError:
    return errors.StoreUnavailableError(
        f"a row of `{path}` was changed between reading and writing it: another program writes to "
        "the store without a transaction"
    )
