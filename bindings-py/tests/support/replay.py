"""Replays the scripts of `tests/vectors` through the public package."""

import re
import sys
from typing import Any, Callable

import leafid
from leafid import Layout, LeafidError, public, registry, testing
from support.places import ROOT

sys.path.insert(0, str(ROOT / "tests/vectors"))

from scripts import Scripts, Step, Text  # noqa: E402


# Python's messages name its own command and the store's place; seconds to wait vary with the ms.
COMMAND = re.compile(r"(?:python -m )?leafid ((?:tag|namespace) create \S+) --store [^`]+")
FREE_IN = re.compile(r" is free in \d+ s")


def refusal(error: LeafidError) -> Step:
    until = {} if error.until_ms is None else {"until": error.until_ms}
    return {"code": error.code, **until, "says": FREE_IN.sub("", COMMAND.sub(r"leafid \1", str(error)))}


SCRIPTS = Scripts(LeafidError, refusal)


def replay(script: Step, subject: Any = None) -> None:
    """Plays all steps of a script; an `AssertionError` names the step that is wrong."""
    SCRIPTS.replay(script, subject or SCRIPTS.made(script, lambda: build(script)))


def build(script: Step) -> Any:
    kind = script["kind"]
    if kind in ("layouts", "text"):
        return form
    return rows if kind == "rows" else scrambling(script)


def form(step: Step) -> Any:
    """Layouts and text forms."""
    match do := step["do"]:
        case "decimal" | "base32":
            return Text(getattr(leafid, do)(int(step["id"])))
        case "parse_decimal" | "parse_base32":
            return getattr(leafid, do)(step["text"])
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

    def taken(step: Step) -> Any:
        given = step["text"] if "text" in step else int(step["id"])
        gave = getattr(scrambler, step["do"], None) or getattr(public, step["do"])
        return Text(told) if isinstance(told := gave(given), str) else told

    return taken


def rows(step: Step) -> Any:
    """The decisions of `leafid.registry`, called as by a user's own store."""
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


# The fields of a script's steps that a store's methods have in another form.
ARGUMENTS: dict[str, Callable[[Any], tuple[str, Any]]] = {
    "from": lambda first: ("start", int(first)),
    "until": lambda end: ("until", int(end)),
    "to": lambda next: ("to", int(next)),
    "layout": lambda layout: ("layout", layout_of(layout)),
    "workers": lambda range: ("workers", (range["start"], range["end"])),
    "max_window_ms": lambda ms: ("max_window", ms / 1_000),
}


class Tabled:
    """A store over SQL: `make` makes an empty one."""

    def __init__(self, script: Step, make: Callable[..., Any]) -> None:
        # Both of its clocks show the script's one time, which starts at 0.
        self.clock = testing.Clock()
        self.clock.freeze()
        self.clock.step_wall(-self.clock.wall_ms)
        self.clock.step_monotonic(-self.clock.monotonic_ms)
        self.store = make(create=True, id=script["store"], clock=self.clock)
        for tag in script.get("tags", []):
            self.operate("create_tag", tag)
        for space in script.get("namespaces", []):
            self.operate("create_namespace", space)

    def __call__(self, step: Step) -> Any:
        self.clock.advance(int(step["at"]) - self.clock.wall_ms)
        if "ask" in step:
            return getattr(self.store, step["do"])(step["ask"])
        return self.operate(step["do"], step)

    def operate(self, verb: str, fields: Step) -> Step:
        given = {name: value for name, value in fields.items() if name not in ("do", "at") and value is not None}
        how = dict(ARGUMENTS.get(name, lambda value: (name, value))(value) for name, value in given.items())
        if how.get("namespace") == "default" and verb == "create_namespace":
            how["if_missing"] = True
        getattr(self.store, "release_worker" if verb == "revoke" else verb)(**how)
        return {}
