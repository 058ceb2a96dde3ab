"""Replays the scripts of `tests/vectors` through a component: clock and randomness are the script's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support import public
from support.component import CLOCK, RANDOM, Cases, Instance, Plain, Refused, answer, instantiate
from support.rows import Rows
from support.wire import Wire, code, enum, shown, token


class World:
    """An instance, and a host of it that does as a script says."""

    def __init__(self, path: Path) -> None:
        self.ms = 0
        self.random: list[int] = []
        host = {
            CLOCK: {"now": lambda _: instant(self.ms)},
            RANDOM: {"get-random-u64": lambda _: self.random.pop(0)},
        }
        self.instance: Instance = instantiate(path, host)
        self.wire = Wire(lambda name: self.call("layouts", "named", name))

    def call(self, interface: str, name: str, *args: Any) -> Any:
        return self.instance.call(interface, name, *args)


def instant(ms: int) -> int:
    """What WASI's clock shows: nanoseconds in 64 bits, and its nearest end for a time beyond them."""
    return max(-(2**63), min(ms * 1_000_000, 2**63 - 1)) % 2**64


def replay(script: Plain, path: Path) -> None:
    """Takes all steps of a script; `AssertionError` tells the step that is wrong."""
    subject = build(script, path)
    names: dict[str, Any] = {}
    for number, step in enumerate(script.get("steps", []) if subject else [], 1):
        place = f"`{script['name']}`, step {number} ({step['do']})"
        filled = {field: put_in(value, names) for field, value in step.items() if field != "gives"}
        compare(step["gives"], attempt(lambda filled=filled: subject(filled)), names, place)


def build(script: Plain, path: Path) -> Any:
    kind = script["kind"]
    if kind == "public":
        return built(script, lambda: public.subject(script, path))
    world = World(path)
    take = {"layouts": layouts, "text": text, "errors": errors, "rows": rows}.get(kind)
    if take is not None:
        return lambda step: take(world, step)
    if kind == "store":
        return stored(world, script)
    world.random = [int(script["seed"])]

    def generator() -> Any:
        config = world.wire.read(script["config"], f"{kind}_config")
        made = world.instance.generator(kind, config)
        return lambda step: generate(world, made, kind, step)

    return built(script, generator)


def built(script: Plain, make: Any) -> Any:
    """What takes the steps; none where the script says what is wrong with it."""
    try:
        made = make()
    except Refused as refused:
        compare(script.get("gives"), refusal(refused), {}, f"`{script['name']}`, building")
        return None
    assert "gives" not in script, f"`{script['name']}`: it was built"
    return made


def attempt(act: Any) -> Any:
    try:
        return act()
    except Refused as refused:
        return refusal(refused)


def refusal(refused: Refused) -> Plain:
    until = {} if refused.until is None else {"until": refused.until}
    return {"code": code(refused.code), **until}


def layouts(world: World, step: Plain) -> Any:
    layout = world.wire.layout(step["layout"])
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


class Text(str):
    """A text that is one, and no number in decimal."""


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
            # An enum says its cases itself.
            about = world.instance.function("codes", "about").type(world.instance.store)
            every = about.params[0][1].names
            return [world.call("codes", "about", each)["name"] for each in every]
        case "code":
            return world.call("codes", "about", world.call("codes", "parse", step["code"]))
        case "from_http":
            return code(world.call("codes", "from-http", step["status"]))
        case "sentence":
            kind = step["kind"] if step["kind"] in ("tag", "namespace") else "other"
            given = enum(step["code"]), Cases((kind, step["name"])), step.get("most")
            return Text(world.call("codes", "sentence", *given, step.get("wait_ms")))
    return layouts(world, step) if "layout" in step else text(world, step)


# What the interface calls the rows that a store finds.
CANDIDATES = [("mine", "mine"), ("kept", "own"), ("spare", "spare"), ("rested", "rested")]


def rows(world: World, step: Plain) -> Any:
    """The verbs of a store, as a store of somebody else's calls them."""
    wire, verb = world.wire, lambda name, *args: world.call("registry", name, *args)

    def namespace() -> Plain:
        made = verb("create-namespace", wire.read(step["namespace"], "new_namespace"))
        return {**made, "floor": int(step["namespace"].get("floor", 0))}

    match step["do"]:
        case "tag_row":
            before = None if step.get("before") is None else wire.read(step["before"], "tag_row")
            return {"row": shown(verb("create-tag", wire.new_tag(step["wanted"]), before))}
        case "namespace_row":
            wanted = wire.read(step["wanted"], "new_namespace")
            return {"row": shown(verb("create-namespace", wanted))}
        case "lease_segment":
            given = wire.read(step["row"], "tag_row"), wire.read(step["ask"], "segment_ask")
            return leased(*verb("lease-segment", token(step["store"]), *given, int(step["at"])))
        case "acquire":
            rows = {to: step["candidates"].get(name) for to, name in CANDIDATES}
            rows = {to: None if row is None else wire.worker_row(row) for to, row in rows.items()}
            given = namespace(), rows, wire.read(step["ask"], "acquire_ask")
            acquired = verb("acquire", token(step["store"]), *given, int(step["at"]))
            return {"row": shown(acquired["row"]), "grant": shown(acquired["grant"])}
        case "renew":
            given = wire.worker_row(step["row"]), wire.read(step["ask"], "renew_ask")
            store = token(step["store"])
            return leased(*verb("renew", store, namespace(), *given, int(step["at"])))
        case "release":
            given = wire.worker_row(step["row"]), wire.read(step["ask"], "release")
            return {"row": shown(verb("give-back", token(step["store"]), *given))}
    raise AssertionError(f"there is no step `{step['do']}`")


def leased(row: Plain, given: Any) -> Plain:
    try:
        return {"row": shown(row), "grant": shown(answer(given))}
    except Refused as refused:
        return {"row": shown(row), "refused": shown({"code": refused.code})}


def stored(world: World, script: Plain) -> Any:
    """A store on the component's `registry`."""
    store = Rows(world.instance, world.wire, token(script["store"]))
    for tag in script.get("tags", []):
        store.create_tag(tag)
    for namespace in script.get("namespaces", []):
        store.create_namespace(namespace)

    def take(step: Plain) -> Any:
        store.set_clock(int(step["at"]))
        return getattr(store, step["do"])(step.get("ask", step))

    return take


def generate(world: World, generator: Any, kind: str, step: Plain) -> Any:
    """Both generators, sans-I/O."""
    world.ms = int(step["at"])
    match step["do"]:
        case "next" | "wants_ask" | "poll_at" | "forget" | "resumed":
            return getattr(generator, step["do"])()
        case "fill" | "fill_available":
            return filled(getattr(generator, step["do"])(int(step["n"])))
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
            # Two words alike are looked at again: the scripts' are all alike.
            world.random = [*token(step["entropy"]), 0]
            ask = generator.poll_ask()
            return None if ask is None else {"ask": ask[0], **shown(ask[1])}
        case "grant":
            grant = world.wire.grant(kind, step["grant"])
            outcome, release = generator.handle_grant(grant, int(step["sent"]))
            return {"release": shown(release)} if outcome == "release" else outcome
        case "failure":
            failure = {"code": enum(step["code"]), "retry_after_ms": step.get("retry_after_ms")}
            return generator.handle_failure(token(step["request"]), failure)
        case "look":
            return generator.look(int(step["wall"]))
        case "resume":
            highest = None if "highest" not in step else int(step["highest"])
            layout = None if "layout" not in step else world.wire.layout(step["layout"])
            return generator.resume(world.wire.read(step["before"], "carryover"), highest, layout)
        case "failing":
            failing = generator.failing()
            return None if failing is None else code(failing)
        case "retire" | "carryover" | "stats":
            return shown(getattr(generator, step["do"])())
    raise AssertionError(f"there is no step `{step['do']}`")


def span(generator: Any, n: int) -> list[int]:
    """As many as are at hand; a call gives 2^20 at most."""
    ids: list[int] = []
    while len(ids) < n:
        try:
            ids += filled(generator.fill_available(n - len(ids)))
        except Refused:
            if not ids:
                raise
            break
    return ids


def filled(ids: list[int]) -> list[int]:
    assert ids == sorted(set(ids)), "the IDs of a fill do not ascend"
    return ids


def put_in(value: Any, names: dict[str, Any]) -> Any:
    """The values that `$names` stand for."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {field: put_in(item, names) for field, item in value.items()}
    return value


def compare(expected: Any, gave: Any, names: dict[str, Any], place: str) -> None:
    """Exactly, but that an object may leave fields out and null means absent."""
    wrong = f"{place}: expected {expected!r}, got {gave!r}"
    if isinstance(expected, dict):
        assert isinstance(gave, dict), wrong
        for field, value in expected.items():
            compare(value, gave.get(field), names, f"{place}, `{field}`")
    elif isinstance(expected, list):
        assert isinstance(gave, list) and len(expected) == len(gave), wrong
        for wanted, given in zip(expected, gave):
            compare(wanted, given, names, place)
    elif isinstance(expected, str) and expected.startswith("$"):
        if expected not in names:
            assert gave not in names.values(), f"{place}: {gave!r} has another name already"
            names[expected] = gave
        assert names[expected] == gave, f"{place}: {expected} is {names[expected]!r}, got {gave!r}"
    elif isinstance(gave, int) and not isinstance(gave, bool) and isinstance(expected, str):
        assert str(gave) == expected, wrong
    else:
        assert type(expected) is type(gave) or isinstance(gave, str), wrong
        assert expected == gave, wrong
