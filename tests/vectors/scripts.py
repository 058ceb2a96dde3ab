"""Replays scripts in Python: the `subject` takes each step, and raises its refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Step = dict[str, Any]


class Text(str):
    """A text that is not a decimal number."""


class Scripts:
    """Replays scripts; `refused` is the subject's error class, `told` writes an error as the scripts have it."""

    def __init__(self, refused: type[Exception], told: Callable[[Any], Step]) -> None:
        self.refused, self.told = refused, told

    def made(self, script: Step, make: Callable[[], Any]) -> Any:
        """The subject; none where the script expects its creation to fail."""
        try:
            made = make()
        except self.refused as error:
            compare(script.get("gives"), self.told(error), {}, f"`{script['name']}`, building")
            return None
        assert "gives" not in script, f"`{script['name']}`: it was built"
        return made

    def replay(self, script: Step, subject: Any) -> None:
        """Takes all steps; an `AssertionError` names the first wrong one."""
        names: dict[str, Any] = {}
        for number, step in enumerate(script.get("steps", []) if subject else [], 1):
            filled = {field: put_in(value, names) for field, value in step.items() if field != "gives"}
            try:
                gave = subject(filled)
            except self.refused as error:
                gave = self.told(error)
            compare(step["gives"], gave, names, f"`{script['name']}`, step {number} ({step['do']})")


def ascending(ids: list[int]) -> list[int]:
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
    """Compares exactly, except that an object may leave fields out, and null means absent."""
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
