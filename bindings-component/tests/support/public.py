"""Replays the scripts of the kind `public` through the component that has public IDs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.component import Instance, Plain, Refused, Scrambler, instantiate
from support.wire import code


class Digits(str):
    """A text that is one, though all of it may be digits."""


def subject(script: Plain, path: Path) -> Any:
    """What takes a step; raises what it is refused with where no scrambler can be made."""
    instance = instantiate(path, {})
    given = bytes.fromhex(script["key"]), script["tag"], script.get("prefix")
    scrambler = instance.scrambler(*given, script.get("alphabet", "base58"))
    return lambda step: take(instance, scrambler, step)


def take(instance: Instance, scrambler: Scrambler, step: Plain) -> Any:
    try:
        return gave(instance, scrambler, step)
    except Refused as refused:
        return {"code": code(refused.code)}


def gave(instance: Instance, scrambler: Scrambler, step: Plain) -> Any:
    match step["do"]:
        case "scramble" | "unscramble":
            return getattr(scrambler, step["do"])(int(step["id"]))
        case "encode":
            return Digits(scrambler.encode(int(step["id"])))
        case "decode":
            return scrambler.decode(step["text"])
        case "base58" | "base62":
            return Digits(instance.call("public-ids", "write", step["do"], int(step["id"])))
        case "parse_base58" | "parse_base62":
            alphabet = step["do"].removeprefix("parse_")
            return instance.call("public-ids", "read", alphabet, step["text"])
    raise AssertionError(f"there is no step `{step['do']}`")
