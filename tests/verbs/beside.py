"""Python, Node and a server that keeps a journal lease from one store at once: no number twice."""

import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

from leafid import SqliteStore, StoreUnavailableError
from support.server import Server

# How long everybody leases, in s.
TOGETHER_S = 2.0

Range = tuple[int, int]


def beside(consumer: Path, folder: Path) -> str:
    """Has all three lease; says how many ranges each got."""
    with Server(folder, journal=folder / "journal") as server:
        server.create_tag("orders", step=10, max_step=10)
        store = SqliteStore(server.store.removeprefix("sqlite:"))
        seen: dict[str, list[Range]] = {"Python": [], "Node": [], "the program": []}
        words = ["node", consumer / "tests/support/leases.mjs", server.store, str(int(TOGETHER_S * 1_000))]
        node = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=consumer)
        assert node.stdout is not None
        # Its first range: from now on all three lease.
        seen["Node"].append(ranged(*node.stdout.readline().split()))
        end = time.monotonic() + TOGETHER_S

        def lease() -> None:
            while time.monotonic() < end or not seen["Python"]:
                # On a busy machine the server may be too slow.
                with suppress(StoreUnavailableError):
                    grant = store.lease_segment({"tag": "orders", "request": "01" * 16})
                    seen["Python"].append(ranged(grant["start"], grant["end"]))

        thread = threading.Thread(target=lease)
        thread.start()
        while time.monotonic() < end:
            status, grant = server.call("POST", "/v1/segments/orders/lease", {"request": "02" * 16})
            assert status == 200, grant
            seen["the program"].append(ranged(grant["start"], grant["end"]))
        thread.join()
        rest, _ = node.communicate(timeout=60)
        assert node.returncode == 0, rest
        seen["Node"] += [ranged(*line.split()) for line in rest.splitlines()]
    ranges = sorted(sum(seen.values(), []))
    twice = [pair for pair in zip(ranges, ranges[1:], strict=False) if pair[0][1] > pair[1][0]]
    assert not twice, twice
    counts = {name: len(ranges) for name, ranges in seen.items()}
    assert all(counts.values()), counts
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def ranged(start: object, end: object) -> Range:
    return int(str(start)), int(str(end))
