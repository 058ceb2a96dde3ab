"""IDs from a shell: `python -m leafid next orders`, `python -m leafid decode 2124074841442091014`."""

from __future__ import annotations

import argparse
import sys

from . import Layout, LeafidError, Segment, Snowflake, __version__, decode


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
    verbs = parser.add_subparsers(required=True, metavar="next|snowflake|decode")

    numbers = verbs.add_parser("next", help="draw the next numbers of a tag")
    numbers.add_argument("tag")
    numbers.set_defaults(run=_next)
    stamps = verbs.add_parser("snowflake", help="draw IDs that carry the time")
    stamps.add_argument("namespace", nargs="?", default="default")
    stamps.set_defaults(run=_snowflake)
    for verb in (numbers, stamps):
        verb.add_argument("-n", "--count", type=int, default=1, help="how many IDs (default: 1)")
        verb.add_argument("--store", help="the URL of the store (default: LEAFID_STORE)")
        verb.add_argument("--timeout", type=float, default=10.0, help="in seconds (default: 10)")

    parts = verbs.add_parser("decode", help="show what a snowflake ID is made of")
    parts.add_argument("id", type=int)
    parts.add_argument("--layout", default="leaf", choices=["leaf", "edge", "long", "js53"])
    parts.set_defaults(run=_decode)
    return parser


def _next(options: argparse.Namespace) -> None:
    # Lease no more than is wanted: the rest of a segment becomes a gap.
    step = max(1, options.count)
    with Segment(options.tag, options.store, step=step, timeout=options.timeout) as ids:
        print(*ids.take(options.count), sep="\n")


def _snowflake(options: argparse.Namespace) -> None:
    with Snowflake(options.namespace, options.store, timeout=options.timeout) as ids:
        print(*ids.take(options.count), sep="\n")


def _decode(options: argparse.Namespace) -> None:
    parts = decode(options.id, getattr(Layout, options.layout))
    print(f"{parts.time.isoformat()}  worker {parts.worker}  sequence {parts.sequence}")


if __name__ == "__main__":
    sys.exit(main())
