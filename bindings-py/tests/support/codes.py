"""The table of codes, as the vectors have it."""

import json

from support.places import VECTORS

_SCRIPTS = json.loads((VECTORS / "errors.json").read_text())["scripts"]
_STEPS = [step for script in _SCRIPTS for step in script.get("steps", [])]
CODES: list[str] = next(step["gives"] for step in _STEPS if step["do"] == "codes")
_FACTS = {step["code"]: step["gives"] for step in _STEPS if step["do"] == "code"}


def is_permanent(code: str) -> bool:
    """Whether waiting cannot cure a refusal with this code."""
    permanent: bool = _FACTS[code]["permanent"]
    return permanent
