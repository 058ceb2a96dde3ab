"""A Python host of the stream: draws from one tag and one namespace, and prints the IDs."""

import argparse
import os
import sys
import threading
import time
from importlib.metadata import version

import leafid
from leafid import LeafidError, Segment, Snowflake


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True, help="the store's address")
    parser.add_argument("--tag", required=True)
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--rate", type=float, default=2000, help="IDs per second, over both kinds")
    parser.add_argument("--timeout", type=float, default=10, help="how many seconds a call may wait")
    parser.add_argument("--only", choices=["segment", "snowflake"])
    options = parser.parse_args()

    generators = {
        "segment": Segment(options.tag, store=options.store, timeout=options.timeout),
        "snowflake": Snowflake(options.namespace, store=options.store, timeout=options.timeout),
    }
    lines = {"segment": number_lines, "snowflake": snowflake_lines}
    if options.only:
        generators = {options.only: generators[options.only]}

    say([f"hello python {version('leafid')}"])
    stop = threading.Event()
    threading.Thread(target=wait_for_the_end, args=(stop,), daemon=True).start()
    paces = {kind: Pace(options.rate / len(generators)) for kind in generators}
    reported = 0.0
    try:
        while not stop.wait(min(pace.until_next() for pace in paces.values())):
            for kind, generator in generators.items():
                say(lines[kind](draw(kind, generator, paces[kind].due())))
            if time.monotonic() - reported >= 1:
                reported = time.monotonic()
                say(stats_line(kind, generator) for kind, generator in generators.items())
    except KeyboardInterrupt:
        pass
    say(stats_line(kind, generator) for kind, generator in generators.items())
    for generator in generators.values():
        generator.close()
    say(["bye"])
    return 0


def draw(kind: str, generator: Segment | Snowflake, count: int) -> list[int]:
    """Draws up to `count` IDs; prints an error, and keeps the IDs drawn before."""
    ids: list[int] = []
    try:
        for _ in range(count):
            ids.append(generator.next())
    except LeafidError as error:
        say([f"error {kind} {error.code} {' '.join(str(error).split())}"])
    return ids


class Pace:
    """A rate of IDs per second, in batches of about 20 ms; time lost in waits is not made up for."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.begin = time.monotonic()
        self.drawn = 0

    def until_next(self) -> float:
        batch = max(1.0, self.rate / 50)
        return max(0.0, self.begin + (self.drawn + batch) / self.rate - time.monotonic())

    def due(self) -> int:
        now = time.monotonic()
        due = int((now - self.begin) * self.rate) - self.drawn
        if due > max(1.0, self.rate / 5):
            due = int(max(1.0, self.rate / 50))
            self.begin, self.drawn = now - due / self.rate, 0
        self.drawn += due
        return due


def number_lines(ids: list[int]) -> list[str]:
    """`n START END` for each run of consecutive numbers."""
    lines: list[str] = []
    start = 0
    for at in range(1, len(ids) + 1):
        if at == len(ids) or ids[at] != ids[at - 1] + 1:
            lines.append(f"n {ids[start]} {ids[at - 1] + 1}")
            start = at
    return lines


def snowflake_lines(ids: list[int]) -> list[str]:
    """`s FIRST LAST COUNT` for each run of ascending IDs of one worker."""
    lines: list[str] = []
    workers = [leafid.decode(id).worker for id in ids]
    start = 0
    for at in range(1, len(ids) + 1):
        if at == len(ids) or workers[at] != workers[start] or ids[at] <= ids[at - 1]:
            lines.append(f"s {ids[start]} {ids[at - 1]} {at - start}")
            start = at
    return lines


def stats_line(kind: str, generator: Segment | Snowflake) -> str:
    stats = generator.stats()
    names = ["ids", "asks", "grants", "failures", "waits", "in_hand"]
    return f"stats {kind} {' '.join(str(getattr(stats, name)) for name in names)}"


def say(lines) -> None:
    text = "".join(f"{line}\n" for line in lines)
    if text:
        sys.stdout.write(text)
        sys.stdout.flush()


def wait_for_the_end(stop: threading.Event) -> None:
    # Not `sys.stdin`, whose lock this thread would hold when the interpreter ends.
    while os.read(0, 4096):
        pass
    stop.set()


if __name__ == "__main__":
    sys.exit(main())
