"""A store that answers when a test lets it."""

from __future__ import annotations

import threading

import leafid
from support.waiting import PATIENCE


class Gate:
    """Answers from a memory store, ten numbers at a time, while `gate` is set."""

    def __init__(self) -> None:
        self.gate, self.asked, self.hangs = (threading.Event() for _ in range(3))
        self.store = leafid.MemoryStore()
        self.store.create_tag("orders", step=10, max_step=10)

    def lease_segment(self, ask):
        self.asked.set()
        if not self.gate.is_set():
            self.hangs.set()
            self.gate.wait(PATIENCE)
        return self.store.lease_segment(ask)

    def shut(self) -> None:
        """From now on an ask hangs; once one does, no answer is on its way."""
        self.gate.clear()
        self.hangs.clear()


class Away:
    """Answers like the gate, or says that it cannot while it is `away`."""

    def __init__(self) -> None:
        self.away = False
        self.store = leafid.MemoryStore()
        self.store.create_tag("orders", step=10, max_step=10)

    def lease_segment(self, ask):
        if self.away:
            raise leafid.StoreUnavailableError("the store is away")
        return self.store.lease_segment(ask)
