"""An event loop goes on while the store is stopped."""

from __future__ import annotations

import json
import os
import signal

import pytest

import leafid
from support.ending import stop
from support.run import running
from support.waiting import PATIENCE

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="nothing can be stopped")
OUTAGE_S = 3.0

# A loop that looks at the clock as often as it can while it waits for IDs (`how`: with `await`, in a
# way that blocks, or not at all). After a word it uses up what it has; it ends after another.
LOOP = """
import asyncio, json, sys, threading, time
import leafid

url, how = sys.argv[1:]

async def main():
    ids = leafid.Segment("orders", url, timeout=60) if how != "none" else None
    if ids is not None:
        await ids.anext()
    print("begun", flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.readline)
    while ids is not None and ids.stats().in_hand:
        await ids.anext()
    print("dry", flush=True)
    word = loop.run_in_executor(None, sys.stdin.readline)
    async def draw():
        return await ids.anext()
    async def draw_blocking():
        # More than an answer that was on its way could bring.
        thread = threading.Thread(target=lambda: [ids.next() for _ in range(3)])
        thread.start()
        thread.join()
    drawing = []
    if how == "await":
        drawing = [asyncio.create_task(draw()) for _ in range(20)]
    elif how == "blocks":
        drawing = [asyncio.create_task(draw_blocking())]
    longest, turns, before = 0.0, 0, time.monotonic()
    while not word.done() or not all(task.done() for task in drawing):
        await asyncio.sleep(0.001)
        now = time.monotonic()
        longest, before, turns = max(longest, now - before), now, turns + 1
    got = [task.result() for task in drawing]
    print(json.dumps({"longest_s": longest, "turns": turns, "got": got}), flush=True)

asyncio.run(main())
"""


def say(loops, word: str) -> None:
    for loop in loops.values():
        loop.stdin.write(f"{word}\n")
        loop.stdin.flush()


def hear(loops, word: str) -> None:
    for how, loop in loops.items():
        heard = loop.stdout.readline()
        if heard != f"{word}\n":
            loop.kill()
            raise AssertionError(f"{how}: {heard}{loop.stderr.read()}")


def test_a_loop_does_not_stand_still_while_the_store_is_stopped(server) -> None:
    server.create_tag("orders", step=1, max_step=1)
    # A machine may let one process stand still, and not the other: then there is another outage.
    stood_still = [outage(server)]
    while stood_still[-1] >= OUTAGE_S / 2 and len(stood_still) < 5:
        stood_still.append(outage(server))
    print(f"longer than a loop without leafid: {stood_still} s")
    assert stood_still[-1] < OUTAGE_S / 2, "it stood still much longer than a loop without leafid"


def outage(server) -> float:
    """How much longer the loop stands still at a time than one without leafid, in s."""
    hows = ("await", "blocks", "none")
    with (
        running(LOOP, server.url, "await") as awaits,
        running(LOOP, server.url, "blocks") as blocks,
        running(LOOP, server.url, "none") as none,
    ):
        loops = dict(zip(hows, (awaits, blocks, none), strict=True))
        hear(loops, "begun")
        try:
            stop(server.process.pid)
            say(loops, "stopped")
            hear(loops, "dry")
            ids = leafid.Segment("orders", server.url)
            # Its failure is the clock of the outage: the store has answered nobody for so long.
            with pytest.raises(leafid.TimedOutError):
                ids.next(timeout=OUTAGE_S)
        finally:
            os.kill(server.process.pid, signal.SIGCONT)
        ids.next(timeout=PATIENCE)
        ids.close()
        say(loops, "goes on")
        said = {how: json.loads(loop.stdout.readline()) for how, loop in loops.items()}
    print({how: (round(told["longest_s"] * 1e3), told["turns"]) for how, told in said.items()})
    assert len(set(said["await"]["got"])) == 20
    # The control: what blocks stands still for as long as the store does.
    assert said["blocks"]["longest_s"] > OUTAGE_S / 2
    assert said["await"]["turns"] > 10
    return float(said["await"]["longest_s"] - said["none"]["longest_s"])
