"""A small store on the component's `registry`, with rows in dicts."""

from __future__ import annotations

from typing import Any

from support.component import Instance, Plain, answer
from support.wire import Wire, refuse, shown


class Rows:
    """Rows in memory, and a settable clock that does not go back."""

    def __init__(self, instance: Instance, wire: Wire, store: tuple[int, int]) -> None:
        self.instance, self.wire, self.id = instance, wire, store
        self.now = -(2**63)
        self.tags: dict[str, Plain] = {}
        self.namespaces: dict[str, Plain] = {}
        self.workers: dict[str, dict[int, Plain]] = {}

    def set_clock(self, now: int) -> None:
        self.now = max(self.now, now)

    def verb(self, name: str, *args: Any) -> Any:
        return self.instance.call("registry", name, *args)

    def asked(self, verb: str, at: int, value: Any) -> Plain:
        read: Plain = self.wire.given("registry", verb, at, value)
        return read

    def create_tag(self, spec: Plain) -> Plain:
        before = self.tags.get(spec["tag"])
        self.tags[spec["tag"]] = self.verb("create-tag", self.asked("create-tag", 0, spec), before)
        return {}

    def delete_tag(self, spec: Plain) -> Plain:
        row = self.tags.get(spec["tag"])
        if row is None or row["deleted"]:
            raise refuse("tag-unknown")
        self.tags[spec["tag"]] = {**row, "deleted": True}
        return {}

    def create_namespace(self, spec: Plain) -> Plain:
        row = self.verb("create-namespace", self.asked("create-namespace", 0, spec))
        self.namespaces[spec["namespace"]] = row
        self.workers[spec["namespace"]] = {}
        return {}

    def set_workers(self, spec: Plain) -> Plain:
        self._namespace(spec)["workers"] = spec["workers"]
        return {}

    def revoke(self, spec: Plain) -> Plain:
        workers, number = self._namespace(spec)["workers"], spec["worker"]
        rows = self.workers[spec["namespace"]]
        if not workers["start"] <= number < workers["end"] and number not in rows:
            raise refuse("worker-invalid")
        row = self._row(spec["namespace"], number)
        rows[number] = {**row, "owner": "", "sticky": False, "key": None}
        return {}

    def lease_segment(self, ask: Plain) -> Plain:
        asked = self.asked("lease-segment", 2, ask)
        row = self.tags.get(asked["tag"])
        if row is None:
            raise refuse("tag-unknown")
        row, given = self.verb("lease-segment", self.id, row, asked, self.now)
        self.tags[asked["tag"]] = row
        return shown(answer(given))

    def acquire(self, ask: Plain) -> Plain:
        namespace, asked = self._namespace(ask), self.asked("acquire", 3, ask)
        rows, numbers = self.workers[asked["namespace"]], namespace["workers"]
        mine = [row for row in rows.values() if row["key"] == asked["request"]]
        kept = [row for row in rows.values() if row["sticky"] and row["owner"] == asked["owner"]]
        free = [self._row(asked["namespace"], n) for n in range(numbers["start"], numbers["end"])]
        candidates = {
            "mine": mine[0] if mine else None,
            "kept": kept[0] if kept else None,
            "spare": kept[1] if len(kept) > 1 else None,
            "rested": min(free, key=lambda row: self._rank(row, asked["owner"], namespace["floor"])),
        }
        given = self.verb("acquire", self.id, namespace, candidates, asked, self.now)
        rows.update((row["worker"], row) for row in (given["row"], given["freed"]) if row)
        return shown(given["grant"])

    def renew(self, ask: Plain) -> Plain:
        namespace, asked = self._namespace(ask), self.asked("renew", 3, ask)
        row = self._row(asked["namespace"], asked["worker"])
        row, given = self.verb("renew", self.id, namespace, row, asked, self.now)
        self.workers[asked["namespace"]][asked["worker"]] = row
        return shown(answer(given))

    def release(self, ask: Plain) -> Plain:
        self._namespace(ask)
        asked = self.asked("give-back", 2, ask)
        row = self._row(asked["namespace"], asked["worker"])
        row = self.verb("give-back", self.id, row, asked)
        self.workers[asked["namespace"]][asked["worker"]] = row
        return {}

    def _namespace(self, ask: Plain) -> Plain:
        if ask["namespace"] not in self.namespaces:
            raise refuse("namespace-unknown")
        return self.namespaces[ask["namespace"]]

    def _row(self, namespace: str, number: int) -> Plain:
        fresh = {"owner": "", "sticky": False, "key": None, "held_from": 0, "reserved_until": 0}
        fresh["granted"] = 0
        return {**fresh, **self.workers[namespace].get(number, {}), "worker": number}

    def _rank(self, row: Plain, owner: str, floor: int) -> tuple[bool, int, int]:
        # Only for kept numbers: a call for each of a thousand would be slow.
        kept = row["sticky"] and self.verb("is-kept-from", row, owner, self.now)
        return kept, max(row["reserved_until"], floor), row["granted"]
