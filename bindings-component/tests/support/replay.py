"""Replays the scripts of `tests/vectors` through a component, with the script's clock and randomness."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from leafid_component import CLOCK, RANDOM, Leafid, Refused, plain, record
from scripts import Scripts, Text, ascending
from wasmtime.component import Variant

from support.wire import Plain, Wire, code, enum, shown, token


class World:
    """An instance, and a host that carries out a script's steps."""

    def __init__(self, path: Path) -> None:
        self.ms = 0
        self.random: list[int] = []
        host = {
            CLOCK: {"now": lambda _: instant(self.ms)},
            RANDOM: {"get-random-u64": lambda _: self.random.pop(0)},
        }
        self.instance = Leafid(path, imports=host)
        self.wire = Wire(self.instance)

    def call(self, interface: str, name: str, *args: Any) -> Any:
        return self.instance.call(interface, name, *args)

    def layout(self, value: Any) -> Plain:
        is_named = isinstance(value, str)
        read = self.call("layouts", "named", value) if is_named else self.wire.given("layouts", "describe", 0, value)
        return dict(read)


def instant(ms: int) -> int:
    """WASI's clock: nanoseconds clamped to 64 bits."""
    return max(-(2**63), min(ms * 1_000_000, 2**63 - 1)) % 2**64


def replay(script: Plain, path: Path) -> None:
    """Runs all steps of a script; an `AssertionError` names the wrong one."""
    SCRIPTS.replay(script, SCRIPTS.made(script, lambda: build(script, path)))


def build(script: Plain, path: Path) -> Any:
    kind = script["kind"]
    if kind == "public":
        return scrambling(script, path)
    world = World(path)
    take = {"layouts": layouts, "text": text, "errors": errors, "rows": rows}.get(kind)
    if take is not None:
        return lambda step: take(world, step)
    world.random = [int(script["seed"])]
    config = world.wire.given("generators", f"[static]generator.{kind}", 0, script["config"])
    made = world.instance.generator(kind, **config)
    return lambda step: generate(world, made, kind, step)


def scrambling(script: Plain, path: Path) -> Any:
    """Public IDs."""
    instance = Leafid(path)
    given = bytes.fromhex(script["key"]), script["tag"], script.get("prefix")
    given += (script.get("alphabet", "base58"),)
    scrambler = instance.made("public-ids", "scrambler", "make", *given)

    def take(step: Plain) -> Any:
        given = step["text"] if "text" in step else int(step["id"])
        match step["do"]:
            case "base58" | "base62":
                gave = instance.call("public-ids", "write", step["do"], given)
            case "parse_base58" | "parse_base62":
                gave = instance.call("public-ids", "read", step["do"].removeprefix("parse_"), given)
            case verb:
                gave = getattr(scrambler, verb)(given)
        return Text(gave) if isinstance(gave, str) else gave

    return take


def refusal(refused: Refused) -> Plain:
    until = refused.given.get("until")
    return {"code": code(refused.code), **({} if until is None else {"until": until})}


SCRIPTS = Scripts(Refused, refusal)


def layouts(world: World, step: Plain) -> Any:
    layout = world.layout(step["layout"])
    match step["do"]:
        case "layout":
            given = shown(world.call("layouts", "describe", layout))
            return {**given, **given["layout"]}
        case "compose":
            given = int(step["time_ms"]), step["worker"], int(step["sequence"])
            return world.call("layouts", "compose", layout, *given)
        case "decompose":
            return shown(world.call("layouts", "decompose", layout, int(step["id"])))
        case "first_id" | "last_id":
            name = step["do"].replace("_", "-")
            return world.call("layouts", name, layout, int(step["time_ms"]))
    raise AssertionError(f"there is no step `{step['do']}`")


def text(world: World, step: Plain) -> Any:
    match step["do"]:
        case "decimal" | "base32":
            return Text(world.call("text", f"to-{step['do']}", int(step["id"])))
        case "parse_decimal" | "parse_base32":
            return world.call("text", step["do"].replace("_", "-"), step["text"])
    raise AssertionError(f"there is no step `{step['do']}`")


def errors(world: World, step: Plain) -> Any:
    match step["do"]:
        case "codes":
            # The cases of the enum, read from the component itself.
            about = world.instance.function("codes", "about").type(world.instance.store)
            every = about.params[0][1].names
            return [world.call("codes", "about", each)["name"] for each in every]
        case "code":
            return world.call("codes", "about", world.call("codes", "parse", step["code"]))
        case "from_http":
            return code(world.call("codes", "from-http", step["status"]))
        case "sentence":
            kind = step["kind"] if step["kind"] in ("tag", "namespace") else "other"
            given = enum(step["code"]), Variant(kind, step["name"]), step.get("most")
            return Text(world.call("codes", "sentence", *given, step.get("wait_ms")))
    return layouts(world, step) if "layout" in step else text(world, step)


def rows(world: World, step: Plain) -> Any:
    """The verbs of a store, as a custom store calls them."""
    # Decisions that depend on the time have it as their last argument.
    now = (int(step["at"]),) if "at" in step else ()

    def given(name: str, *args: Any) -> list[Any]:
        return [world.wire.given("registry", name, at, value) for at, value in enumerate(args)]

    def verb(name: str, *args: Any) -> Any:
        return world.call("registry", name, *given(name, *args))

    def in_a_namespace(name: str, found: str) -> list[Any]:
        made = verb("create-namespace", step["namespace"])
        space = {**made, "floor": int(step["namespace"].get("floor", 0))}
        rest = (world.wire.given("registry", name, at, step[of]) for at, of in ((2, found), (3, "ask")))
        return [token(step["store"]), space, *rest, *now]

    match step["do"]:
        case "tag_row":
            return {"row": shown(verb("create-tag", step["wanted"], step.get("before")))}
        case "namespace_row":
            return {"row": shown(verb("create-namespace", step["wanted"]))}
        case "release":
            return {"row": shown(verb("give-back", step["store"], step["row"], step["ask"]))}
        case "lease_segment":
            args = given("lease-segment", step["store"], step["row"], step["ask"])
            return leased(world, "lease-segment", *args, *now)
        case "acquire":
            acquired = world.call("registry", "acquire", *in_a_namespace("acquire", "candidates"))
            return {"row": shown(acquired["row"]), "grant": shown(acquired["grant"])}
        case "renew":
            return leased(world, "renew", *in_a_namespace("renew", "row"))
    raise AssertionError(f"there is no step `{step['do']}`")


def leased(world: World, name: str, *args: Any) -> Plain:
    """A row with a grant, or with a refusal, which is not raised."""
    function = world.instance.function("registry", name)
    told = function(world.instance.store, *map(record, args))
    told = getattr(told, "payload", told)
    row, given = told if isinstance(told, tuple) else plain(told)
    try:
        return {"row": shown(plain(row)), "grant": shown(plain(given))}
    except Refused as refused:
        return {"row": shown(plain(row)), "refused": {"code": code(refused.code)}}


def generate(world: World, generator: Any, kind: str, step: Plain) -> Any:
    """Both generators, sans-I/O."""
    world.ms = int(step["at"])
    match step["do"]:
        case "next" | "wants_ask" | "poll_at" | "forget" | "resumed":
            return getattr(generator, step["do"])()
        case "fill" | "fill_available":
            return ascending(getattr(generator, step["do"])(int(step["n"])))
        case "span":
            ids = span(generator, int(step["n"]))
            return {"count": len(ids), "first": ids[0], "last": ids[-1]}
        case "ready":
            generator.ready(int(step["n"]))
            return True
        case "stance":
            until = None if "until" not in step else int(step["until"])
            stance = generator.stance({"code": enum(step["code"]), "until": until})
            return {"raise": code(stance)} if isinstance(stance, str) else {"wait": stance}
        case "poll_ask":
            # Of two equal words a third is drawn, which must differ: the scripts' words are all equal.
            world.random = [*token(step["entropy"]), 0]
            ask = generator.poll_ask()
            return None if ask is None else {"ask": ask.tag, **shown(plain(ask.payload))}
        case "grant":
            grant = world.wire.grant(kind, step["grant"])
            outcome = generator.handle_grant(grant, int(step["sent"]))
            release = outcome.tag == "release"
            return {"release": shown(plain(outcome.payload))} if release else outcome.tag
        case "failure":
            failure = {"code": enum(step["code"]), "retry_after_ms": step.get("retry_after_ms")}
            return generator.handle_failure(token(step["request"]), failure)
        case "look":
            return generator.look(int(step["wall"]))
        case "resume":
            highest = None if "highest" not in step else int(step["highest"])
            layout = None if "layout" not in step else world.layout(step["layout"])
            before = world.wire.given("generators", "[method]generator.resume", 1, step["before"])
            return generator.resume(before, highest, layout)
        case "failing":
            failing = generator.failing()
            return None if failing is None else code(failing)
        case "retire" | "carryover" | "stats":
            return shown(getattr(generator, step["do"])())
    raise AssertionError(f"there is no step `{step['do']}`")


def span(generator: Any, n: int) -> list[int]:
    """Draws as many IDs as are at hand; a call gives 2^20 at most."""
    ids: list[int] = []
    while len(ids) < n:
        try:
            ids += ascending(generator.fill_available(n - len(ids)))
        except Refused:
            if not ids:
                raise
            break
    return ids
