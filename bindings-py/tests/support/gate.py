"""Stores whose answers a test controls."""

import threading

import leafid
from support.waiting import PATIENCE, until


class Tens:
    """A memory store that gives ten numbers at a time."""

    def __init__(self) -> None:
        self.store = leafid.MemoryStore()
        self.store.create_tag("orders", step=10, max_step=10)

    def lease_segment(self, ask):
        return self.store.lease_segment(ask)


class Gate(Tens):
    """Answers while `gate` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.asked, self.hangs = (threading.Event() for _ in range(3))

    def lease_segment(self, ask):
        self.asked.set()
        if not self.gate.is_set():
            self.hangs.set()
            self.gate.wait(PATIENCE)
        return super().lease_segment(ask)

    def shut(self) -> None:
        """Makes asks hang from now on; once one does, no answer is under way."""
        self.gate.clear()
        self.hangs.clear()


class Away(Tens):
    """Answers, or fails as unavailable while `away` is set."""

    def __init__(self, away: bool = False) -> None:
        super().__init__()
        self.away = away

    def lease_segment(self, ask):
        if self.away:
            raise leafid.StoreUnavailableError("the store is away")
        return super().lease_segment(ask)


class Slow(Tens):
    """Answers slowly, as a store over a network may: after ten more turns of a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.turns, self.over = 0, False

    def lease_segment(self, ask):
        before = self.turns
        assert until(lambda: self.over or self.turns >= before + 10), "the loop stood still"
        return super().lease_segment(ask)

    async def count(self, sleep) -> None:
        """Counts a loop's turns beside its other tasks."""
        while True:
            await sleep(0.005)
            self.turns += 1
