"""Six hundred holders that start at once, in six processes: how long until each has its first ID?

    LEAFID_STORE=http://127.0.0.1:8750 python benches/holders.py NAMESPACE TAG

Beside them each process leases ten numbers of TAG at a time, which nobody may wait for. `cargo xtask bench --only
holders` runs it against namespaces of ten rows and of 65,536, in turns.
"""

import json
import statistics
import subprocess
import sys
import threading
import time

import leafid

PROCESSES, EACH = 6, 100


def process(namespace: str, tag: str) -> None:
    """One process: says that it is ready, waits for the word, prints its times and what failed."""
    holders = [leafid.Snowflake(namespace, timeout=60) for _ in range(EACH)]
    beside = leafid.Segment(tag, step=10)
    go, over = threading.Event(), threading.Event()
    first: list[float] = []
    failed: list[str] = []
    ids: list[int] = []

    def begin(holder: leafid.Snowflake) -> None:
        go.wait()
        started = time.monotonic()
        try:
            ids.append(holder.next())
            first.append(time.monotonic() - started)
        except leafid.LeafidError as error:
            failed.append(f"{namespace}: {error}")

    def lease() -> None:
        go.wait()
        while not over.is_set():
            try:
                ids.extend(beside.take(10))
            except leafid.LeafidError as error:
                failed.append(f"{tag}: {error}")

    threads = [threading.Thread(target=begin, args=(holder,)) for holder in holders]
    leasing = threading.Thread(target=lease)
    for thread in [*threads, leasing]:
        thread.start()
    print("ready", flush=True)
    sys.stdin.readline()
    go.set()
    for thread in threads:
        thread.join()
    over.set()
    leasing.join()
    print(json.dumps({"first": first, "failed": failed, "ids": len(ids), "distinct": len(set(ids))}), flush=True)
    for holder in holders:
        holder.close()


def main(namespace: str, tag: str) -> None:
    command = [sys.executable, __file__, namespace, tag, "holder"]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(PROCESSES)
    ]
    for one in started:
        assert one.stdout is not None and one.stdout.readline() == "ready\n", "a process ended early"
    for one in started:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    said = [json.loads(one.communicate()[0]) for one in started]
    first = sorted(seconds for one in said for seconds in one["first"])
    failed = [line for one in said for line in one["failed"]]
    if failed:
        sys.exit("\n".join(failed))
    # The parent reads figures, not sentences.
    print(json.dumps({"holders": len(first), "median": statistics.median(first), "last": first[-1]}))


if __name__ == "__main__":
    if sys.argv[3:] == ["holder"]:
        process(sys.argv[1], sys.argv[2])
    else:
        main(sys.argv[1], sys.argv[2])
