"""Replays the scripts of `tests/vectors` through the public package."""

from __future__ import annotations

from typing import Any, Callable

import leafid
from leafid import Layout, LeafidError, public, registry, testing

Step = dict[str, Any]


def replay(script: Step, subject: Any = None) -> None:
    """Takes all steps of a script; `AssertionError` tells the step that is wrong."""
    subject = subject or build(script)
    names: dict[str, Any] = {}
    for number, step in enumerate(script.get("steps", []) if subject else [], 1):
        place = f"`{script['name']}`, step {number} ({step['do']})"
        filled = {field: put_in(value, names) for field, value in step.items() if field != "gives"}
        gave = attempt(lambda filled=filled: subject(filled))
        compare(step["gives"], gave, names, place)


def build(script: Step) -> Any:
    kind = script["kind"]
    if kind in ("layouts", "text", "errors"):
        return form
    if kind == "rows":
        return rows
    try:
        if kind == "public":
            return scrambling(script)
        generator = testing.Generator(kind, script["config"], int(script["seed"]))
    except LeafidError as error:
        compare(script.get("gives"), refusal(error), {}, f"`{script['name']}`, building")
        return None
    assert "gives" not in script, f"`{script['name']}`: it was built"
    return lambda step: generate(generator, step)


def attempt(act: Any) -> Any:
    try:
        return act()
    except LeafidError as error:
        return refusal(error)


def refusal(error: LeafidError) -> Step:
    until = {} if error.until_ms is None else {"until": error.until_ms}
    return {"code": error.code, **until}


def form(step: Step) -> Any:
    """Layouts, text forms and the error table."""
    match do := step["do"]:
        case "decimal" | "base32":
            return Text(getattr(leafid, do)(int(step["id"])))
        case "parse_decimal" | "parse_base32":
            return getattr(leafid, do)(step["text"])
        case "codes":
            return testing.codes()
        case "code":
            return testing.code(step["code"])
        case "sentence":
            given = (step["code"], step["kind"], step["name"])
            return Text(testing.sentence(*given, step.get("most"), step.get("wait_ms")))
        case "from_http":
            return testing.code_from_http(step["status"])
    layout = layout_of(step["layout"])
    match do:
        case "layout":
            fields = ["epoch_ms", "tick_ms", "time_bits", "worker_bits", "sequence_bits"]
            fields += ["last_ms", "per_second", "workers"]
            return {field: getattr(layout, field) for field in fields}
        case "compose":
            return layout.compose(int(step["time_ms"]), step["worker"], int(step["sequence"]))
        case "decompose":
            return leafid.decode(int(step["id"]), layout)._asdict()
        case "first_id" | "last_id":
            return getattr(layout, do)(int(step["time_ms"]))
    raise AssertionError(f"there is no step `{do}`")


def scrambling(script: Step) -> Any:
    """Public IDs."""
    how = {name: script[name] for name in ("prefix", "alphabet") if name in script}
    scrambler = public.Scrambler(bytes.fromhex(script["key"]), script["tag"], **how)
    assert "gives" not in script, f"`{script['name']}`: it was built"

    def taken(step: Step) -> Any:
        given = step["text"] if "text" in step else int(step["id"])
        gave = getattr(scrambler, step["do"], None) or getattr(public, step["do"])
        return Text(told) if isinstance(told := gave(given), str) else told

    return taken


def rows(step: Step) -> Any:
    """The verbs of a store, as a store of somebody else's calls them."""
    match step["do"]:
        case "tag_row":
            return {"row": registry.tag_row(step["wanted"], step.get("before"))}
        case "namespace_row":
            return {"row": registry.namespace_row(step["wanted"])}
        case "lease_segment":
            given = (step["store"], step["row"], step["ask"], int(step["at"]))
            return leased(*registry.lease_segment(*given))
        case "acquire":
            given = (step["store"], step["namespace"], step["candidates"], step["ask"])
            row, _, grant = registry.acquire(*given, int(step["at"]))
            return {"row": row, "grant": grant}
        case "renew":
            given = (step["store"], step["namespace"], step["row"], step["ask"], int(step["at"]))
            return leased(*registry.renew(*given))
        case "release":
            return {"row": registry.release(step["store"], step["row"], step["ask"])[0]}
    raise AssertionError(f"there is no step `{step['do']}`")


def leased(row: Any, answer: Any) -> Any:
    if isinstance(answer, LeafidError):
        return {"row": row, "refused": {"code": answer.code}}
    return {"row": row, "grant": answer}


def layout_of(layout: Any) -> Layout:
    return getattr(Layout, layout) if isinstance(layout, str) else Layout(**layout)


def generate(generator: testing.Generator, step: Step) -> Any:
    """Both generators, sans-I/O."""
    at = int(step["at"])
    match do := step["do"]:
        case "next" | "wants_ask":
            return getattr(generator, do)(at)
        case "fill" | "fill_available":
            return filled(getattr(generator, do), step)
        case "span":
            ids = filled(generator.fill_available, step)
            return {"count": len(ids), "first": ids[0], "last": ids[-1]}
        case "stance":
            return generator.stance(at, step["code"], number(step, "until"))
        case "ready":
            return generator.ready(at, int(step["n"]))
        case "poll_ask":
            return generator.poll_ask(at, step["entropy"])
        case "grant":
            outcome = generator.grant(at, int(step["sent"]), step["grant"])
            return {"release": outcome} if isinstance(outcome, dict) else outcome
        case "failure":
            return generator.failure(at, step["request"], step["code"], step.get("retry_after_ms"))
        case "look":
            return generator.look(at, int(step["wall"]))
        case "resume":
            return generator.resume(step["before"], number(step, "highest"), step.get("layout"))
        case "poll_at" | "retire" | "forget" | "resumed" | "carryover" | "failing" | "stats":
            return getattr(generator, do)()
    raise AssertionError(f"there is no step `{do}`")


def number(step: Step, field: str) -> int | None:
    """A number in decimal, if it is there."""
    return int(step[field]) if field in step else None


def filled(fill: Callable[[int, int], list[int]], step: Step) -> list[int]:
    ids = fill(int(step["at"]), int(step["n"]))
    assert all(a < b for a, b in zip(ids, ids[1:])), "the IDs of a fill do not ascend"
    return ids


class Tabled:
    """A store over tables: `make` makes an empty one."""

    def __init__(self, script: Step, make: Callable[..., Any]) -> None:
        self.clock = Told()
        self.store = make(create=True, id=script["store"], clock=self.clock)
        for tag in script.get("tags", []):
            self.create_tag(tag)
        for space in script.get("namespaces", []):
            self.store.create_namespace(
                space["namespace"],
                layout=layout_of(space["layout"]),
                workers=range_of(space.get("workers")),
                max_window=space.get("max_window_ms") and space["max_window_ms"] / 1_000,
                if_missing=space["namespace"] == "default",
            )

    def __call__(self, step: Step) -> Any:
        self.clock.set(int(step["at"]))
        own = getattr(self, step["do"], None)
        if own is not None:
            return own(step) or {}
        return getattr(self.store, step["do"])(step["ask"])

    def create_tag(self, step: Step) -> None:
        steps = {name: step.get(name) for name in ("step", "max_step")}
        ends = {"start": number(step, "from"), "until": number(step, "until")}
        self.store.create_tag(step["tag"], **ends, **steps)

    def delete_tag(self, step: Step) -> None:
        self.store.delete_tag(step["tag"])

    def set_workers(self, step: Step) -> None:
        self.store.set_workers(step["namespace"], range_of(step["workers"]))

    def revoke(self, step: Step) -> None:
        self.store.release_worker(step["namespace"], step["worker"])


class Told:
    """A clock that shows what it was told: both of it, as the scripts have one time."""

    def __init__(self) -> None:
        self.wall_ms = self.monotonic_ms = 0

    def set(self, at: int) -> None:
        self.wall_ms = self.monotonic_ms = at


def range_of(workers: Any) -> Any:
    return workers and (workers["start"], workers["end"])


class Text(str):
    """A text that is one, and no number in decimal."""


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
