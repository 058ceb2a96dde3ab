"""`tag create|set|advance|delete|list`, for stores that this program opens itself."""

import argparse
import os
from typing import Any

from .. import RequestInvalidError, TagExistsError
from .._sql import hidden, open_store
from .._sql.store import Store

_END = 2**63 - 1
_OURS = ("sqlite", "postgres", "postgresql", "mysql", "mariadb")


def add(verbs: Any) -> None:
    """Adds the verb `tag` and its own verbs to the parser."""
    tags = verbs.add_parser("tag", help="create, change and list the tags of such a store")
    own = tags.add_subparsers(required=True, metavar="create|set|advance|delete|list")
    create = _verb(own, "create", _create, "create a tag")
    create.add_argument("--from", type=int, dest="start", help="the first number (default: 1)")
    create.add_argument("--if-missing", action="store_true", help="fine if it is there")
    change = _verb(own, "set", _set, "change a tag")
    for verb in (create, change):
        verb.add_argument("--step", type=int, help="how many a lease takes (default: 1000)")
        verb.add_argument("--max-step", type=int, help="how many it takes at most")
        verb.add_argument("--until", type=_until, help="one more than the last number, or `none`")
    advance = _verb(own, "advance", _advance, "move a tag up, to a next number")
    advance.add_argument("--to", type=int, required=True, help="the next number that it grants")
    _verb(own, "delete", _delete, "delete a tag")
    _verb(own, "list", _list, "list the tags", has_tag=False)


def checked(store: str, command: str) -> None:
    """Refuses a store that this program does not open itself, and names the `command` to use instead."""
    if not store:
        raise RequestInvalidError("no store was given: pass --store sqlite:PATH, or set LEAFID_STORE")
    if ":" not in store:
        raise RequestInvalidError(f"`{store}` is not the URL of a store: did you mean sqlite:{store}?")
    if not is_ours(store):
        raise RequestInvalidError(
            f"`{hidden(store)}` is not `sqlite:PATH`, nor the URL of a database; for other stores there is the program `leafid`, a separate binary: "
            f"{command}"
        )


def is_ours(url: str) -> bool:
    """Whether this program opens the store itself."""
    return url.partition(":")[0].partition("+")[0] in _OURS


def _verb(own: Any, name: str, run: Any, help: str, has_tag: bool = True) -> Any:
    verb = own.add_parser(name, help=help)
    if has_tag:
        verb.add_argument("tag")
    verb.add_argument("--store", help="sqlite:PATH, postgres://…, mysql://… (default: LEAFID_STORE)")
    verb.set_defaults(run=run, verb=name, parser=verb)
    return verb


def _until(text: str) -> int:
    return _END if text == "none" else int(text)


def _opened(options: argparse.Namespace) -> Store:
    given = options.store or os.environ.get("LEAFID_STORE", "")
    tag = f" {options.tag}" if hasattr(options, "tag") else ""
    checked(given, f"leafid tag {options.verb}{tag} --store {hidden(given)}")
    return open_store(given, create=False)


def _create(options: argparse.Namespace) -> None:
    store, made = _opened(options), True
    until = None if options.until == _END else options.until
    steps = {"step": options.step, "max_step": options.max_step}
    try:
        store.create_tag(options.tag, start=options.start, until=until, **steps)
    except TagExistsError:
        if not options.if_missing:
            raise
        made = False
    what = "created" if made else "exists already, nothing changed"
    print(f"tag `{options.tag}` {what}: {_line(store.tag(options.tag))}")


def _set(options: argparse.Namespace) -> None:
    store = _opened(options)
    changes = {name: getattr(options, name) for name in ("step", "max_step", "until")}
    if not any(value is not None for value in changes.values()):
        options.parser.error("name what to change: --step, --max-step or --until")
    print(f"tag `{options.tag}`: {_line(store.set_tag(options.tag, **changes))}")


def _advance(options: argparse.Namespace) -> None:
    row = _opened(options).advance_tag(options.tag, options.to)
    print(f"tag `{options.tag}` advanced: {_line(row)}")


def _delete(options: argparse.Namespace) -> None:
    _opened(options).delete_tag(options.tag)
    print(f"tag `{options.tag}` deleted; created again, it goes on where it stood")


def _list(options: argparse.Namespace) -> None:
    tags = _opened(options).tags()
    heads = {"max_id": "next number", "step": "step", "max_step": "max_step", "until": "until"}
    for row in ({"tag": "tag", **heads}, *tags):
        shown = ["-" if row[name] is None else str(row[name]) for name in heads]
        print(f"{row['tag']:<32} {shown[0]:>20} {shown[1]:>10} {shown[2]:>10} {shown[3]:>20}")


def _line(row: dict[str, Any]) -> str:
    line = f"next number {row['max_id']}, step {row['step']}, max_step {row['max_step']}"
    return line if row["until"] is None else f"{line}, until {row['until']}"
