"""100,000 numbers over a database of ten lines, and 100,000 snowflakes over a real `leafid serve`.

    python main.py      # finds `leafid.wasm` and `leafid` in dist/, or by LEAFID_DIST and LEAFID_BIN
"""

import json
import os
import secrets
import sqlite3
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from wasmtime.component import Variant

from leafid_component import Leafid, Refused, plain

ROOT = Path(__file__).resolve().parents[2]
DIST = Path(os.environ.get("LEAFID_DIST", ROOT / "dist"))
SERVER = os.environ.get("LEAFID_BIN", DIST / "leafid")
IDS, AT_ONCE = 100_000, 1_000


def database_store(path):
    """A store over sqlite3: read the row, decide, write it, and only then answer."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE tags (tag TEXT PRIMARY KEY, row TEXT)")
    registry = Leafid(DIST / "leafid-pure.wasm")
    wanted = {**dict.fromkeys(["first", "step", "max_step", "until"]), "tag": "orders"}
    row = registry.call("registry", "create-tag", wanted, None)
    db.execute("INSERT INTO tags VALUES ('orders', ?)", [json.dumps(row)])
    # The store's id is stored with its rows: a new id means another store, and holders stop.
    store_id = (secrets.randbits(64), secrets.randbits(64))

    def lease_segment(ask):
        with transaction(db):
            found = db.execute("SELECT row FROM tags WHERE tag = ?", [ask["tag"]]).fetchone()
            if found is None:
                raise Refused({"code": "tag-unknown"})
            now, row = time.time_ns() // 1_000_000, json.loads(found[0])
            row, grant = registry.call("registry", "lease-segment", store_id, row, ask, now)
            db.execute("UPDATE tags SET row = ? WHERE tag = ?", [json.dumps(row), ask["tag"]])
        return grant

    return {"lease-segment": lease_segment}


@contextmanager
def transaction(db):
    """A transaction: durable after the block, rolled back after an exception."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def numbers(folder):
    """Draws numbers synchronously: `refill` calls the imported store."""
    leafid = Leafid(DIST / "leafid.wasm", database_store(f"{folder}/tags.db"))
    orders, ids = leafid.generator("segment", tag="orders"), []
    while len(ids) < IDS:
        try:
            ids += orders.fill(AT_ONCE)
        except Refused as refused:
            wait(orders, refused, refill(orders))
        if orders.wants_ask():
            refill(orders)
    return ids


def refill(generator):
    """Asks the store. The generator records a failure and asks again later; IDs at hand remain."""
    try:
        return generator.refill()
    except Refused:
        return False


def snowflakes(url):
    """Draws snowflakes without I/O in the component: the host carries each ask, here over HTTP."""
    ids, leafid = [], Leafid(DIST / "leafid.wasm")
    generator = leafid.generator("snowflake", namespace="default", owner="example/python")
    while len(ids) < IDS:
        try:
            ids += generator.fill(AT_ONCE)
        except Refused as refused:
            wait(generator, refused, carry(leafid, generator, url))
        if generator.wants_ask():
            carry(leafid, generator, url)
    post(url, "release", generator.retire())
    return ids


def wait(generator, refused, asked):
    """Does what a refused caller should: draw again, fail, or wait for the given time."""
    stance = generator.stance(refused.given)
    if isinstance(stance, str):
        raise refused
    if not asked and stance is not None:
        time.sleep(max(0, stance / 1_000 - time.monotonic()))


def carry(leafid, generator, url):
    ask = generator.poll_ask()
    if ask is None:
        return False
    verb, asked = ask.tag, plain(ask.payload)
    try:
        answer = post(url, verb, asked)
    except urllib.error.HTTPError as error:
        problem = json.load(error)
        code = leafid.call("codes", "parse", problem.get("code", "")) or leafid.call(
            "codes", "from-http", error.code
        )
        failure = {"code": code, "retry_after_ms": problem.get("retry_after_ms")}
        generator.handle_failure(asked["request"], failure)
        return True
    except OSError:
        unread = {"code": "store-unavailable", "retry_after_ms": None}
        generator.handle_failure(asked["request"], unread)
        return True
    span = {"start": int(answer["start"]), "end": int(answer["end"])}
    grant = {**answer, "ticks": span, "now": answer["now_ms"]}
    grant |= {name: token(answer[name]) for name in ("request", "store")}
    try:
        outcome = generator.handle_grant(Variant("window", grant), None)
    except Refused:
        return True  # noted, as a failure is
    if isinstance(outcome, Variant) and outcome.tag == "release":
        post(url, "release", plain(outcome.payload))
    return True


def post(url, verb, body):
    """Sends a request of docs/API.md: tokens are hex, ends are decimal text, absent fields are left out."""
    body = {name: value for name, value in body.items() if value is not None}
    namespace = body.pop("namespace")
    for name in ("request", "store", "key"):
        if name in body:
            body[name] = "%016x%016x" % body[name]
    for name in ("have_until", "unused_from"):
        if name in body:
            body[name] = str(body[name])
    request = urllib.request.Request(
        f"{url}/v1/workers/{namespace}/{verb}",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def token(text):
    return int(text[:16], 16), int(text[16:], 16)


def tell(what, ids):
    print(f"{what}: {len(ids)} IDs, duplicates: {len(ids) - len(set(ids))}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        tell("python, numbers over sqlite3", numbers(folder))
        store = f"sqlite:{folder}/leafid.db"
        serve = [SERVER, "serve", "--create", "--no-journal", "--store", store]
        serve += ["--listen", "127.0.0.1:0"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
            try:
                url = next((line for line in server.stdout if "http://" in line), None)
                if url is None:
                    raise SystemExit("the server did not start")
                url = "http://" + url.split("http://")[1].split()[0]
                tell("python, snowflakes over leafid serve", snowflakes(url))
            finally:
                # Killed, since an orderly end would have to be awaited.
                server.kill()


if __name__ == "__main__":
    main()
