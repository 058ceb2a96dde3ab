"""leafid beside four libraries: the cost of an ID, and how many come twice when processes fork,
clocks go back and programs restart.

`cargo xtask bench --only peers` installs them, and needs libfaketime.

Libraries are unchanged, with only their worker number set. leafid's store is a local file with the
same clock. libfaketime moves the machine's wall clock, but not the monotonic one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from libraries import LIBRARIES
from rounds import in_turns, repeated

LIFE = Path(__file__).with_name("life.py")
# Where Debian's package installs it, on any architecture.
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
NEVER_S = 20
# A clock that stands still.
STANDS = "2026-01-01 00:00:00=0"


class Scenario(NamedTuple):
    """Successive lives, each with the clock's offsets and their durations."""

    title: str
    lives: list[list[str]]


SCENARIOS = [
    Scenario("4 forks", [["fork"]]),
    Scenario("clock −1 s", [["+0=1.2", "-1=1.2"]]),
    # After an hour the clock goes back to the time of the first IDs.
    Scenario("clock −1 h", [["+0=1.2", "+3598.5=0.3", "-1.5=1.2"]]),
    Scenario("restart within the same ms", [[STANDS], [STANDS]]),
    Scenario("restart, clock −2 s", [["+0=1.0"], ["-2=2.5"]]),
]


def outcome(name: str, scenario: Scenario, folder: Path) -> str:
    """Counts the duplicate IDs of a scenario; also returns what stopped it."""
    out, clock, stopped = folder / "ids", folder / "clock", ""
    environment = {
        **os.environ,
        "LD_PRELOAD": str(FAKETIME or ""),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    out.touch()
    clock.write_text("+0")
    for life in scenario.lives:
        command = [sys.executable, LIFE, name, f"sqlite:{folder}/ids.db", out, *life]
        forks = life == ["fork"]
        process = subprocess.Popen(
            [str(word) for word in command],
            env=dict(os.environ) if forks else environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            said = process.communicate(timeout=NEVER_S)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            stopped = ", then it stands still"
            continue
        if process.returncode != 0:
            last = said.strip().splitlines()[-1].split(":")[0].split(".")[-1]
            stopped = ", then none" if last == "none" else ", then it raises"
    ids = array("Q", out.read_bytes())
    assert len(ids) > 0, f"{name}: no ID came"
    return f"{len(ids) - len(set(ids)):,} of {len(ids):,}{stopped}"


def speeds() -> dict[str, float]:
    works = [repeated(name, fast("memory:")) for name, _, _, fast in LIBRARIES]
    for work in works:
        work.run()
    return in_turns(works)


def row(words: Iterable[str]) -> str:
    return f"| {' | '.join(words)} |"


def main() -> None:
    if FAKETIME is None:
        sys.exit("libfaketime is missing, without which no clock can be moved: apt-get install libfaketime")
    taken = speeds()
    print()
    print(row(["library", "ns per ID", "× `Segment`", "× `Snowflake`", *(s.title for s in SCENARIOS)]))
    print(row(["---"] * (4 + len(SCENARIOS))))
    leafids = [taken[name] for name, *_ in LIBRARIES[:2]]
    for name, package, *_ in LIBRARIES:
        times = [f"{taken[name] / own:.1f}" for own in leafids]
        counts = []
        for scenario in SCENARIOS:
            with tempfile.TemporaryDirectory() as folder:
                counts.append(outcome(name, scenario, Path(folder)))
        told = [f"{name} {version(package)}", f"{taken[name]:.0f}", *times, *counts]
        print(row(told), flush=True)


if __name__ == "__main__":
    main()
