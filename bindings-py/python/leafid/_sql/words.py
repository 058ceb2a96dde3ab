"""What is wrong with a store, in words that are the same for a file and a database."""

from .. import errors


def not_there(place: str, what: str) -> errors.LeafidError:
    return errors.StoreUnknownError(
        f"{place} {what}; to create a new store there: python -m leafid init --store {place}, or pass "
        f"`create=True`; if there was one and it is lost, use instead: leafid init "
        f"--replaces-lost --store {place}, as a new store would hand out again what is in use"
    )


def other_version(shown: str, version: int, known: int) -> errors.LeafidError:
    return errors.SchemaMismatchError(
        f"{shown} has tables of version {version}, this program knows {known}; use the version of "
        "leafid that wrote them"
    )


def strays(clock: str, source_ms: int, known_ms: int) -> errors.LeafidError:
    days = abs(source_ms - known_ms) // 86_400_000
    side = "after" if source_ms > known_ms else "before"
    return errors.StoreRefusedError(
        f"{clock} says {source_ms} ms since 1970, {days} days {side} the last time that this store "
        f"has seen, {known_ms}; IDs would carry a wrong time for good: set the clock, or, if it is "
        "right, have the store follow it: leafid serve --believe-clock"
    )
