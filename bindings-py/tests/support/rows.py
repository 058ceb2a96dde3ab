"""A small store on the exported `registry` functions: dicts of rows, nothing else."""

from __future__ import annotations

from typing import Any

from leafid import errors, registry

Row = dict[str, Any]
MONTH_MS = 30 * 86_400_000


class Rows:
    """Rows in memory. Its clock is told, and does not go back."""

    def __init__(self, store: str, now_ms: int = -(2**53) + 1) -> None:
        self.id = store
        self.now_ms = now_ms
        self.tags: dict[str, Row] = {}
        self.namespaces: dict[str, Row] = {}
        self.workers: dict[str, dict[int, Row]] = {}

    def set_clock(self, now_ms: int) -> None:
        self.now_ms = max(self.now_ms, now_ms)

    def create_tag(self, spec: Row) -> Row:
        fields = ("tag", "from", "step", "max_step", "until")
        wanted = {field: spec[field] for field in fields if field in spec}
        self.tags[spec["tag"]] = registry.tag_row(wanted, self.tags.get(spec["tag"]))
        return {}

    def delete_tag(self, spec: Row) -> Row:
        row = self.tags.get(spec["tag"])
        if row is None or row["deleted"]:
            raise errors.TagUnknownError(f"there is no tag `{spec['tag']}`")
        self.tags[spec["tag"]] = {**row, "deleted": True}
        return {}

    def create_namespace(self, spec: Row) -> Row:
        name = spec["namespace"]
        self.namespaces[name] = registry.namespace_row(spec)
        self.workers[name] = {}
        return {}

    def set_workers(self, spec: Row) -> Row:
        self._namespace(spec)["workers"] = spec["workers"]
        return {}

    def revoke(self, spec: Row) -> Row:
        workers = self._namespace(spec)["workers"]
        rows, number = self.workers[spec["namespace"]], spec["worker"]
        if not workers["start"] <= number < workers["end"] and number not in rows:
            raise errors.WorkerInvalidError(f"there is no worker `{number}`")
        row = self._row(spec["namespace"], number)
        rows[number] = {**row, "owner": "", "sticky": False, "key": None}
        return {}

    def lease_segment(self, ask: Row) -> Row:
        row = self.tags.get(ask["tag"])
        if row is None:
            raise errors.TagUnknownError(f"there is no tag `{ask['tag']}`")
        self.tags[ask["tag"]], answer = registry.lease_segment(self.id, row, ask, self.now_ms)
        return granted(answer)

    def acquire(self, ask: Row) -> Row:
        namespace = self._namespace(ask)
        numbers, rows = namespace["workers"], self.workers[ask["namespace"]]
        mine = [row for row in rows.values() if row.get("key") == ask["request"]]
        own = [row for row in rows.values() if row["sticky"] and row["owner"] == ask["owner"]]
        free = [self._row(ask["namespace"], n) for n in range(numbers["start"], numbers["end"])]
        candidates = dict(zip(("own", "spare"), own), mine=mine[0] if mine else None)
        candidates["rested"] = min(
            free, key=lambda row: self._rank(row, ask["owner"], namespace["floor"])
        )
        row, freed, grant = registry.acquire(self.id, namespace, candidates, ask, self.now_ms)
        rows.update((written["worker"], written) for written in (row, freed) if written)
        return grant

    def renew(self, ask: Row) -> Row:
        namespace = self._namespace(ask)
        row = self._row(ask["namespace"], ask["worker"])
        row, answer = registry.renew(self.id, namespace, row, ask, self.now_ms)
        self.workers[ask["namespace"]][ask["worker"]] = row
        return granted(answer)

    def release(self, ask: Row) -> Row:
        self._namespace(ask)
        row = self._row(ask["namespace"], ask["worker"])
        row, answer = registry.release(self.id, row, ask, self.now_ms)
        self.workers[ask["namespace"]][ask["worker"]] = row
        return answer

    def _namespace(self, ask: Row) -> Row:
        if ask["namespace"] not in self.namespaces:
            raise errors.NamespaceUnknownError(f"there is no namespace `{ask['namespace']}`")
        return self.namespaces[ask["namespace"]]

    def _row(self, namespace: str, number: int) -> Row:
        fresh = {"owner": "", "sticky": False, "held_from": 0, "reserved_until": 0, "granted_ms": 0}
        return {**fresh, **self.workers[namespace].get(number, {}), "worker": number}

    def _rank(self, row: Row, owner: str, floor: int) -> tuple[bool, int, int]:
        kept = row["sticky"] and row["owner"] != owner
        kept = kept and self.now_ms - row["granted_ms"] < MONTH_MS
        return kept, max(row["reserved_until"], floor), row["granted_ms"]


def granted(answer: Row | errors.LeafidError) -> Row:
    if isinstance(answer, errors.LeafidError):
        raise answer
    return answer
