"""Random verbs over one store: `leafid`'s answers over HTTP become a script that Python's and Node's stores replay
over their own files. Their answers, the sentences of their refusals and their rows must be the same. A row of the
program's may have more numbers reserved than were granted: while it runs, its tags are compared as it shows them, and
once it has closed, as they are in its file.

The program's wall clock is set forward before each verb (`wall.c`), by more than a verb takes and less than a store
would distrust. So the store's time is the set time, plus the few ms of the verb.

    verbs.py FOLDER-OF-NODE'S-CONSUMER [SEED [COUNT]]
"""

import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings-py/tests"))

from beside import beside  # noqa: E402
from leafid import SqliteStore  # noqa: E402
from support.replay import FREE_IN, Tabled, Text, replay  # noqa: E402
from support.server import FILE, Server  # noqa: E402

Row = dict[str, Any]

COUNT = 10_000
# How many verbs there are between two comparisons of all rows.
LOOK_EACH = 50
# The time of the start, in ms, and by how much it goes on with each verb.
BEGUN_MS, PASSES_MS = 1_800_000_000_000, (30_000, 59_000)
# No verb takes as long as this.
SOON_MS = 20_000
TAGS, LENGTHS_MS = ["a", "b", "c"], [1_000, 60_000, 3_600_000]
LAYOUTS = [
    {"epoch_ms": 1_288_834_974_657, "tick_ms": 1, "time_bits": 41, "worker_bits": 10, "sequence_bits": 12},
    {"epoch_ms": 1_735_689_600_000, "tick_ms": 1, "time_bits": 41, "worker_bits": 16, "sequence_bits": 6},
]
NO_WINDOW = {"namespace": "long", "store": "0" * 32, "worker": 1, "key": "0" * 32, "end": 10**12}
NAMESPACES = {"long": ("leaf", 3_600_000), "short": ("edge", 600_000)}
# Every row as one text.
ROWS = """SELECT group_concat(line, ';') AS text FROM (
SELECT 'tag ' || tag || ' ' || max_id || ' ' || step || ' ' || max_step || ' ' || deleted || ' ' || ifnull(until, '-') || ' '
|| ifnull(claimed_until, '-') AS line FROM tags
UNION ALL SELECT 'namespace ' || namespace || ' ' || epoch_ms || ' ' || worker_bits || ' ' || max_window_ms || ' ' || workers_start
|| ' ' || workers_end || ' ' || floor || ' ' || used_until FROM namespaces WHERE namespace <> 'default'
UNION ALL SELECT 'worker ' || namespace || ' ' || worker || ' ' || owner || ' ' || sticky || ' ' || ifnull(hex(key), '-') || ' '
|| held_from || ' ' || reserved_until || ' ' || granted_ms || ' ' || inside FROM workers ORDER BY 1)"""


EXISTS, IS_NEW = ("if-match", "*"), ("if-none-match", "*")
PATHS: dict[str, tuple[Any, ...]] = {
    "lease_segment": ("POST", "/v1/segments/{tag}/lease"),
    "acquire": ("POST", "/v1/workers/{namespace}/acquire"),
    "renew": ("POST", "/v1/workers/{namespace}/renew"),
    "release": ("POST", "/v1/workers/{namespace}/release"),
    "create_tag": ("PUT", "/v1/tags/{tag}", IS_NEW),
    "set_tag": ("PUT", "/v1/tags/{tag}", EXISTS),
    "advance_tag": ("POST", "/v1/tags/{tag}/advance"),
    "delete_tag": ("DELETE", "/v1/tags/{tag}"),
    "create_namespace": ("PUT", "/v1/namespaces/{namespace}", IS_NEW),
    "set_workers": ("PUT", "/v1/namespaces/{namespace}"),
    "revoke": ("POST", "/v1/workers/{namespace}/{worker}/release"),
}


class WalledServer(Server):
    """The program, on a wall clock that the test sets. Without a journal it reserves nothing ahead of use, as hosts."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.wall = folder / "wall"
        self.set_wall(BEGUN_MS)
        # Not beside the store: memory is often mounted `noexec`.
        self.apart = tempfile.TemporaryDirectory()
        self.library = Path(self.apart.name) / "wall.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, Path(__file__).with_name("wall.c")], check=True)

    def set_wall(self, ms: int) -> None:
        with self.wall.open("r+b" if self.wall.exists() else "wb") as file:
            file.write((ms * 1_000_000).to_bytes(8, sys.byteorder))

    def start(self) -> None:
        preloaded = {"LD_PRELOAD": str(self.library), "LEAFID_WALL": str(self.wall)}
        with patch.dict(os.environ, preloaded):
            super().start()


class Recorder:
    """Asks the program at random, and records requests and answers."""

    def __init__(self, server: WalledServer, seed: int) -> None:
        self.server, self.random, self.at = server, random.Random(seed), BEGUN_MS
        self.http = HTTPConnection("127.0.0.1", server.port.number, timeout=60)
        self.rows = sqlite3.connect(server.folder / FILE, isolation_level=None)
        self.id = self.rows.execute("SELECT hex(store) FROM meta").fetchone()[0].lower()
        self.steps: list[Row] = []
        self.windows: list[Row] = []
        self.requests: list[str] = []
        self.codes: Counter[str] = Counter()

    def record(self, count: int) -> list[Row]:
        for tag in TAGS[:2]:
            self.note("create_tag", {"tag": tag, "step": 10, "max_step": 1_000})
        for namespace, (layout, max_window_ms) in NAMESPACES.items():
            ask = {"layout": layout, "workers": {"start": 1, "end": 5}, "max_window_ms": max_window_ms}
            self.note("create_namespace", {"namespace": namespace, **ask})
        verbs = [self.lease] * 6 + [self.acquire] * 6 + [self.renew] * 5 + [self.release] * 3 + [self.operate] * 6
        while len(self.steps) < count:
            self.note(*self.random.choice(verbs)())
            if len(self.steps) % LOOK_EACH == 0:
                self.look()
        return self.steps

    def look(self) -> None:
        """Records all rows."""
        (text,) = self.rows.execute(ROWS).fetchone()
        self.steps.append({"do": "rows", "at": str(self.at), "sql": ROWS, "gives": text})

    def token(self) -> str:
        return f"{self.random.getrandbits(128):032x}"

    def some(self, **fields: Any) -> Row:
        """Picks each of these with a chance of one in four."""
        return {name: value() for name, value in fields.items() if self.random.random() < 0.25}

    def number(self) -> int:
        return self.random.choice([0, 1, 2, 9, 10, 11, 60, 999, 1_000, 1_001, 2**31 - 1, 2**31])

    def request(self) -> str:
        """A request id, mostly a new one."""
        self.requests.append(self.token())
        return self.random.choice(self.requests[-4:]) if self.random.random() < 0.2 else self.requests[-1]

    def store(self) -> str:
        return self.id if self.random.random() < 0.8 else self.token()

    def lease(self) -> tuple[str, Row]:
        sizes = self.some(step=self.number, at_least=self.number) or self.some(exactly=self.number)
        ahead = lambda: str(self.random.choice([1, 10, 500, 10**15]))  # noqa: E731
        more = self.some(store=self.store, have_until=ahead)
        return "lease_segment", {"tag": self.random.choice(TAGS), "request": self.request(), **sizes, **more}

    def acquire(self) -> tuple[str, Row]:
        flag = lambda: self.random.random() < 0.5  # noqa: E731
        who = {"owner": self.random.choice(["one", "two", "three"]), "sticky": flag(), "strict": flag()}
        more = self.some(store=self.store, layout=lambda: LAYOUTS[flag()])
        named = {"namespace": self.random.choice([*NAMESPACES] * 4 + ["none"]), "request": self.request()}
        return "acquire", {**named, "length_ms": self.random.choice(LENGTHS_MS), **who, **more}

    def window(self) -> Row:
        """A recent window, with some fields changed."""
        known = self.random.choice(self.windows[-5:] or [NO_WINDOW])
        return known | self.some(**({"key": self.token} if self.random.random() < 0.3 else {"store": self.store}))

    def renew(self) -> tuple[str, Row]:
        window = self.window()
        have_until = window.pop("end") + self.random.choice([0, 0, 0, 0, -5, 5])
        return "renew", {**window, "request": self.request(), "have_until": str(have_until), "length_ms": self.random.choice(LENGTHS_MS)}

    def release(self) -> tuple[str, Row]:
        window = self.window()
        unused = window.pop("end") - self.random.choice([0, 1, 1_000, 600_000, 3_600_000])
        return "release", {**window, "unused_from": str(unused)}

    def operate(self) -> tuple[str, Row]:
        tag, namespace = self.random.choice(TAGS), self.random.choice([*NAMESPACES])
        big = lambda: str(self.random.choice([1, 100, 10**6, 10**9, 2**63 - 1]))  # noqa: E731
        caps = self.some(step=self.number, max_step=self.number)
        workers = {"start": self.random.randrange(6), "end": self.random.randrange(10)}
        return self.random.choice([
            ("create_tag", {"tag": tag, **caps, **self.some(**{"from": big, "until": big})}),
            ("set_tag", {"tag": tag, **(caps or {"step": 10}), **self.some(until=big)}),
            ("set_tag", {"tag": tag, "step": 10, "max_step": 1_000, "until": str(2**63 - 1)}),
            ("create_tag", {"tag": tag}),
            ("advance_tag", {"tag": tag, "to": big()}),
            ("delete_tag", {"tag": tag}),
            ("set_workers", {"namespace": namespace, "workers": workers}),
            ("revoke", {"namespace": namespace, "worker": self.random.randrange(8)}),
        ])  # fmt: skip

    def note(self, verb: str, ask: Row) -> None:
        self.at += self.random.randrange(*PASSES_MS)
        self.server.set_wall(self.at)
        status, answer = self.call(verb, ask)
        self.codes[answer["code"] if status >= 300 else "granted"] += 1
        is_host = verb in ("lease_segment", "acquire", "renew", "release")
        # The time of the decision, from its answer; else a few ms earlier for a refusal, and later for a change.
        if status >= 300:
            until = {"until": str(answer["free_at_ms"])} if "free_at_ms" in answer else {}
            gives = {"code": answer["code"], "says": FREE_IN.sub("", answer["detail"]), **until}
            at = self.stopped_at(ask) if verb == "renew" and answer["code"] == "STORE_WENT_BACK" else self.at
        else:
            # Hosts do not return rows to an operator: the rows are compared later.
            gives = {"code": None, **(answer if is_host else {})}
            at = answer.get("now_ms", self.at + SOON_MS)
            if verb in ("acquire", "renew"):
                key = ask.get("key") or ask["request"]
                held = {"namespace": ask["namespace"], "key": key, "end": int(answer["end"])}
                self.windows.append({**held, "store": self.id, "worker": answer["worker"]})
        self.steps.append({"do": verb, "at": str(at), **({"ask": ask} if is_host else ask), "gives": gives})

    def stopped_at(self, ask: Row) -> int:
        """When a holder's proof was written: its number rests from then on for the longest window and 5 s."""
        found = "SELECT epoch_ms + reserved_until - max_window_ms - 5000 FROM workers JOIN namespaces USING (namespace)"
        (at,) = self.rows.execute(f"{found} WHERE namespace = ? AND worker = ?", (ask["namespace"], ask["worker"])).fetchone()
        return at if self.at <= at < self.at + SOON_MS else self.at

    def call(self, verb: str, ask: Row) -> tuple[int, Row]:
        named = ("namespace", "worker") if verb == "revoke" else ("tag", "namespace")
        method, path, *header = PATHS[verb]
        headers = {"content-type": "application/json", **dict(header)}
        body = json.dumps({name: value for name, value in ask.items() if name not in named})
        self.http.request(method, path.format(**ask), body, headers)
        answer = self.http.getresponse()
        return answer.status, json.loads(answer.read() or "{}")


class Filed(Tabled):
    """Python's store over a file, with its rows."""

    def __init__(self, script: Row, path: Path) -> None:
        super().__init__(script, partial(SqliteStore, path))
        self.rows_of = sqlite3.connect(path, isolation_level=None)

    def __call__(self, step: Row) -> Any:
        return Text(self.rows_of.execute(step["sql"]).fetchone()[0]) if step["do"] == "rows" else super().__call__(step)


def wrong_in_python(script: Row, folder: Path) -> str:
    """The difference of Python's store; nothing where all is the same."""
    try:
        replay(script, Filed(script, folder / "python.db"))
    except AssertionError as wrong:
        return str(wrong)
    return ""


def wrong_in_node(script: Row, folder: Path, consumer: Path) -> str:
    (folder / "script.json").write_text(json.dumps(script))
    words = ["node", consumer / "tests/support/verbs.mjs", folder / "script.json", folder / "node.db"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=consumer, timeout=300)
    return done.stdout + done.stderr


def main(consumer: Path, seed: int, count: int) -> None:
    print(f"verbs: seed {seed}", flush=True)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as name:
        folder = Path(name)
        with WalledServer(folder) as server:
            recorder = Recorder(server, seed)
            steps = recorder.record(count)
        script = {"name": f"seed {seed}", "kind": "store", "store": recorder.id, "steps": steps}
        wrong = {"python": wrong_in_python(script, folder), "node": wrong_in_node(script, folder, consumer)}
        assert not any(wrong.values()), wrong
        codes = ", ".join(f"{code} {times}" for code, times in recorder.codes.most_common())
        assert recorder.codes["granted"] > count / 4 and len(recorder.codes) > count / 1_000, codes
        # The controls: a changed answer, and a write that one host alone leaves out.
        # Just before a look at all rows, so that no later step hides it.
        few = {**script, "steps": steps[: 10 * LOOK_EACH + 1]}
        at = max(at for at, step in enumerate(few["steps"]) if "start" in step["gives"])
        other = json.loads(json.dumps(few))
        other["steps"][at]["gives"]["start"] += "0"
        less = {**few, "steps": [step for step in few["steps"] if step is not few["steps"][at]]}
        for drift in (other, less):
            with tempfile.TemporaryDirectory(dir=memory) as name:
                assert wrong_in_python(drift, Path(name)), "Python's drift was not noticed"
                assert wrong_in_node(drift, Path(name), consumer), "Node's drift was not noticed"
    with tempfile.TemporaryDirectory(dir=memory) as name:
        print(f"verbs: ranges leased at once: {beside(consumer, Path(name))}")
    print(f"verbs: seed {seed}: {len(steps)} the same through the program, Python and Node: {codes}")


if __name__ == "__main__":
    consumer, *given = sys.argv[1:]
    seed, count = [*map(int, given), *[random.SystemRandom().getrandbits(32), COUNT][len(given) :]]
    main(Path(consumer), seed, count)
