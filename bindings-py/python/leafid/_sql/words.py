"""Error messages that files and databases share."""

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
