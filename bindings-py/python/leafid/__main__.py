"""IDs from a shell: `python -m leafid next orders`, `python -m leafid decode 2124074841442091014`."""

import argparse
import os
import sys

from . import Layout, LeafidError, Segment, Snowflake
from . import StoreRefusedError, StoreUnknownError, __version__, decode
from ._command import tags
from ._sql import hidden, open_store
from ._sql.store import Store

# Verbs of the command `leafid` that this package does not have.
_NOT_HERE = frozenset((
    "apply", "backup", "completions", "config", "health", "lease", "man", "namespace", "openapi",
    "repair", "serve", "server", "token", "version", "worker",
))  # fmt: skip


def main(words: list[str] | None = None) -> int:
    """Runs the command; returns the exit code."""
    words = sys.argv[1:] if words is None else words
    try:
        options = _parser().parse_args(words)
    except SystemExit as end:
        if end.code == 2 and words[:1] and words[0] in _NOT_HERE:
            print(f"  `{words[0]}` is of the program `leafid`, a separate binary", file=sys.stderr)
        raise
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
    init.add_argument("--store", help="sqlite:PATH, postgres://…, mysql://… (default: LEAFID_STORE)")
    init.set_defaults(run=_init)
    tags.add(verbs)

    parts = verbs.add_parser("decode", help="show what a snowflake ID is made of")
    parts.add_argument("id", type=int)
    parts.add_argument("--layout", default="leaf", choices=["leaf", "edge", "long", "js53"])
    parts.set_defaults(run=_decode)
    return parser


def _next(options: argparse.Namespace) -> None:
    if options.namespace is not None:
        return _snowflake(options)
    store = _found(options.store)
    if isinstance(store, Store) and options.count > 0:
        return _lease(store, options.tag, options.count)
    # Leases no more than needed: the rest of a segment would become a gap.
    step = max(1, options.count)
    with Segment(options.tag, store, step=step, timeout=options.timeout) as ids:
        print(*ids.take(options.count), sep="\n")


def _lease(store: Store, tag: str, count: int) -> None:
    """Leases exactly `count` numbers: a generator would ask ahead for more, which would become a gap."""
    most = store.tag(tag)["max_step"]
    while count > 0:
        ask = {"tag": tag, "request": os.urandom(16).hex(), "exactly": min(count, most)}
        grant = store.lease_segment(ask)
        start, end = int(grant["start"]), int(grant["end"])
        print(*range(start, end), sep="\n")
        count -= end - start


def _snowflake(options: argparse.Namespace) -> None:
    with Snowflake(options.namespace, _found(options.store), timeout=options.timeout) as ids:
        print(*ids.take(options.count), sep="\n")


def _init(options: argparse.Namespace) -> None:
    url = options.store or os.environ.get("LEAFID_STORE", "")
    tags.checked(url, f"leafid init --store {hidden(url)}")
    store = open_store(url, create=False)
    try:
        id = store.id
    except StoreUnknownError:
        made = open_store(url, create=True)
        id = made.id
        print(f"{made.place} is a new store: id {id}")
    else:
        raise StoreRefusedError(
            f"{store.place} is already a store: id {id}; use it, or another place"
        )


def _found(given: str | None) -> Store | str | None:
    """Opens a store that this program opens itself, so that a missing one is reported at once."""
    url = given or os.environ.get("LEAFID_STORE", "")
    if not tags.is_ours(url):
        return given
    store = open_store(url, create=False)
    return store if store.id else given


def _decode(options: argparse.Namespace) -> None:
    parts = decode(options.id, getattr(Layout, options.layout))
    print(f"{parts.time.isoformat()}  worker {parts.worker}  sequence {parts.sequence}")


if __name__ == "__main__":
    sys.exit(main())
