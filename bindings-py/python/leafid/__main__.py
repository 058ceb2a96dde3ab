"""IDs from a shell: `python -m leafid next orders`, `python -m leafid decode 2124074841442091014`."""

from __future__ import annotations

import argparse
import os
import sys

from . import Layout, LeafidError, RequestInvalidError, Segment, Snowflake
from . import StoreRefusedError, StoreUnknownError, __version__, decode
from ._sql import hidden, open_store
from ._sql.store import Store


def main(words: list[str] | None = None) -> int:
    """Runs the command; returns the exit code."""
    options = _parser().parse_args(words)
    try:
        options.run(options)
    except LeafidError as error:
        print(f"leafid: {error.code}: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m leafid", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    verbs = parser.add_subparsers(required=True, metavar="next|snowflake|decode|init|tag")

    numbers = verbs.add_parser("next", help="draw the next numbers of a tag, or snowflake IDs")
    line = numbers.add_mutually_exclusive_group(required=True)
    line.add_argument("tag", nargs="?")
    line.add_argument("--namespace", metavar="NAME", help="the namespace to take snowflake IDs from")
    numbers.set_defaults(run=_next)
    stamps = verbs.add_parser("snowflake", help="draw IDs that carry the time")
    stamps.add_argument("namespace", nargs="?", default="default")
    stamps.set_defaults(run=_snowflake)
    for verb in (numbers, stamps):
        verb.add_argument("-n", "--count", type=int, default=1, help="how many IDs (default: 1)")
        verb.add_argument("--store", help="the URL of the store (default: LEAFID_STORE)")
        verb.add_argument("--timeout", type=float, default=10.0, help="in seconds (default: 10)")

    init = verbs.add_parser("init", help="make a new store in a file or a database")
    init.add_argument("store", metavar="URL", help="sqlite:PATH, postgres://…, mysql://…")
    init.set_defaults(run=_init)
    tags = verbs.add_parser("tag", help="create a tag in such a store")
    create = tags.add_subparsers(required=True, metavar="create").add_parser("create")
    create.add_argument("tag")
    create.add_argument("--store", help="sqlite:PATH, postgres://…, mysql://… (default: LEAFID_STORE)")
    create.add_argument("--from", type=int, dest="start", help="the first number (default: 1)")
    create.add_argument("--step", type=int, help="how many a lease takes (default: 1000)")
    create.add_argument("--max-step", type=int, help="how many it takes at most")
    create.add_argument("--until", type=int, help="one more than the last number")
    create.add_argument("--if-missing", action="store_true", help="fine if it is there")
    create.set_defaults(run=_create_tag)

    parts = verbs.add_parser("decode", help="show what a snowflake ID is made of")
    parts.add_argument("id", type=int)
    parts.add_argument("--layout", default="leaf", choices=["leaf", "edge", "long", "js53"])
    parts.set_defaults(run=_decode)
    return parser


def _next(options: argparse.Namespace) -> None:
    if options.namespace is not None:
        return _snowflake(options)
    # Lease no more than is wanted: the rest of a segment becomes a gap.
    step, store = max(1, options.count), _found(options.store)
    with Segment(options.tag, store, step=step, timeout=options.timeout) as ids:
        print(*ids.take(options.count), sep="\n")


def _snowflake(options: argparse.Namespace) -> None:
    with Snowflake(options.namespace, _found(options.store), timeout=options.timeout) as ids:
        print(*ids.take(options.count), sep="\n")


def _init(options: argparse.Namespace) -> None:
    _checked(options.store, f"leafid init {hidden(options.store)}")
    store = open_store(options.store, create=False)
    try:
        id = store.id
    except StoreUnknownError:
        made = open_store(options.store, create=True)
        id = made.id
        print(f"{made.place} is a new store: id {id}")
    else:
        raise StoreRefusedError(
            f"{store.place} is already a store: id {id}; use it, or another place"
        )


def _create_tag(options: argparse.Namespace) -> None:
    given = options.store or os.environ.get("LEAFID_STORE", "")
    _checked(given, f"leafid tag create {options.tag} --store {hidden(given)}")
    store = open_store(given, create=False)
    store.create_tag(
        options.tag,
        start=options.start,
        step=options.step,
        max_step=options.max_step,
        until=options.until,
        if_missing=options.if_missing,
    )
    print(f"tag `{options.tag}` is in {store.place}")


def _found(given: str | None) -> Store | str | None:
    """A store that this program opens itself is there, or it is said at once that it is not."""
    url = given or os.environ.get("LEAFID_STORE", "")
    if not _is_ours(url):
        return given
    store = open_store(url, create=False)
    return store if store.id else given


def _is_ours(url: str) -> bool:
    scheme = url.partition(":")[0].partition("+")[0]
    return scheme in ("sqlite", "postgres", "postgresql", "mysql", "mariadb")


def _checked(store: str, command: str) -> None:
    """Refuses a store that this program does not open itself; `command` is the one for it."""
    if not _is_ours(store):
        raise RequestInvalidError(
            f"`{hidden(store)}` is not `sqlite:PATH`, nor the URL of a database: for other stores: {command}"
        )


def _decode(options: argparse.Namespace) -> None:
    parts = decode(options.id, getattr(Layout, options.layout))
    print(f"{parts.time.isoformat()}  worker {parts.worker}  sequence {parts.sequence}")


if __name__ == "__main__":
    sys.exit(main())
