"""Four forked workers draw from one generator that was made before the fork, as `gunicorn --preload`
has it: how many of 80,000 IDs are duplicates?

    pip install snowflake-id==1.0.2 sonyflake-turbo==1.0.1 flakeid==0.1.1 snowflake-id-toolkit==0.6.0 typing_extensions
    pip install dist/leafid-*.whl
    LEAFID_STORE=http://127.0.0.1:8750 python benches/fork.py

A library that is not installed is named and left out. Nothing of a library is changed or set but its worker number.
"""

import os
import struct
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

WORKERS, EACH, ROUNDS = 4, 20_000, 3

Draw = Callable[[], int]


def leafid_segment() -> Draw:
    return import_module("leafid").Segment("fork").next


def leafid_snowflake() -> Draw:
    return import_module("leafid").Snowflake().next


def snowflake_id() -> Draw:
    generator = import_module("snowflake").SnowflakeGenerator(1)

    def draw() -> int:
        # It gives None where the sequence of a millisecond is spent.
        while (drawn := next(generator)) is None:
            pass
        return drawn

    return draw


def sonyflake_turbo() -> Draw:
    generator = import_module("sonyflake_turbo").SonyFlake(1, start_time=1_700_000_000)
    return lambda: next(generator)


def flakeid() -> Draw:
    return import_module("flakeid").SnowflakeGenerator().next_id


def snowflake_id_toolkit() -> Draw:
    return import_module("snowflake_id_toolkit").TwitterSnowflakeIDGenerator(1).generate_next_id


LIBRARIES: list[tuple[str, str, Callable[[], Draw]]] = [
    ("snowflake-id", "snowflake-id", snowflake_id),
    ("sonyflake-turbo", "sonyflake-turbo", sonyflake_turbo),
    ("flakeid", "flakeid", flakeid),
    ("snowflake-id-toolkit", "snowflake-id-toolkit", snowflake_id_toolkit),
    ("leafid `Segment`", "leafid", leafid_segment),
    ("leafid `Snowflake`", "leafid", leafid_snowflake),
]


def drawn_by_workers(draw: Draw) -> list[int]:
    """What the workers drew, all together."""
    draw()
    pipes = []
    for _ in range(WORKERS):
        reads, writes = os.pipe()
        if os.fork() == 0:
            os.close(reads)
            try:
                ids = [int(draw()) for _ in range(EACH)]
                with os.fdopen(writes, "wb") as pipe:
                    pipe.write(struct.pack(f"<{EACH}Q", *ids))
            finally:
                os._exit(0)
        os.close(writes)
        pipes.append(reads)
    ids: list[int] = []
    for reads in pipes:
        with os.fdopen(reads, "rb") as pipe:
            data = pipe.read()
        ids.extend(struct.unpack(f"<{len(data) // 8}Q", data))
        os.wait()
    return ids


def main() -> None:
    print(f"| {WORKERS} forked workers, {WORKERS * EACH:,} IDs | version | duplicates, {ROUNDS} runs |")
    print("|---|---|---|")
    for name, package, build in LIBRARIES:
        try:
            which = version(package)
        except PackageNotFoundError:
            print(f"{name} is not installed: left out", file=sys.stderr)
            continue
        counts = []
        for _ in range(ROUNDS):
            ids = drawn_by_workers(build())
            if len(ids) != WORKERS * EACH:
                sys.exit(f"{name}: {len(ids)} IDs came of {WORKERS * EACH}")
            counts.append(len(ids) - len(set(ids)))
        print(f"| {name} | {which} | {', '.join(f'{count:,}' for count in counts)} |", flush=True)


if __name__ == "__main__":
    main()
