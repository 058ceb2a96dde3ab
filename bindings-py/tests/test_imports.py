"""`import leafid` imports no integration and no library of one; and the hooks for forks and for images of
a process, which are resumed many times and must hold no ranges."""

import json

import leafid
import pytest

from support.run import code, python
from support.waiting import PATIENCE

LIBRARIES = ["celery", "django", "fastapi", "prometheus_client", "pydantic", "pytest", "sqlalchemy",
             "trio", "asyncio", "sqlite3", "multiprocessing", "logging"]  # fmt: skip


def test_nothing_is_imported_unasked() -> None:
    loaded = json.loads(code("import json, sys, leafid; print(json.dumps(sorted(sys.modules)))"))
    assert "leafid._native" in loaded
    assert not set(LIBRARIES) & set(loaded)
    own = {name.removeprefix("leafid.") for name in loaded if name.startswith("leafid.")}
    assert own == {"_children", "_native", "errors"}


def test_names_that_are_imported_later() -> None:
    assert {"SqlStore", "SqliteStore", "Parts", "Stats", "Generator"} <= set(dir(leafid))
    with pytest.raises(AttributeError) as error:
        leafid.Segmnt  # noqa: B018
    assert error.value.name == "Segmnt" and error.value.obj is leafid, "for `Did you mean`"


@pytest.mark.parametrize("name", ["django", "fastapi", "prometheus", "pydantic", "sqlalchemy"])
def test_a_library_that_is_missing_is_named(name) -> None:
    library = {"prometheus": "prometheus_client"}.get(name, name)
    said = code(
        f"""
        import sys
        sys.modules["{library}"] = None
        try:
            import leafid.{name}
            print("imported")
        except ImportError as error:
            print(error)
        """
    )
    assert said == "imported\n" if name == "fastapi" else library in said


SUBINTERPRETER = """
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
import leafid
other = interpreters.create()
told = run(other, '''
try:
    import leafid
    print("imported", flush=True)
except ImportError as error:
    print(error, flush=True)
''')
assert told is None, told
interpreters.destroy(other)
print(leafid.Segment("orders", leafid.MemoryStore()).next())
"""


def test_a_subinterpreter_is_told_what_to_do() -> None:
    said = code(SUBINTERPRETER)
    assert "subinterpreter: under mod_wsgi set `WSGIApplicationGroup %{GLOBAL}`" in said
    assert said.endswith("\n1\n")


# Another thread is in its first import of what reads `sqlite:`, and the thread that forks has the loggers' lock.
FORK_DURING_AN_IMPORT = """
import os, sys, threading
import leafid
locked, begun = threading.Event(), threading.Event()
# Hooks run before a fork in the reverse order of their registration: `logging`, this one, leafid.
os.register_at_fork(before=locked.set)
import logging

class Waits:
    def find_spec(self, name, *_):
        if name == "leafid._sql.tables":
            begun.set()
            locked.wait()

sys.meta_path.insert(0, Waits())
def draw():
    return leafid.Segment("orders", f"sqlite:{sys.argv[1]}/ids.db", create=True, timeout=90).next()

first = threading.Thread(target=draw)
first.start()
begun.wait()
if os.fork() == 0:
    os._exit(draw() < 1)
print(os.waitstatus_to_exitcode(os.wait()[1]))
first.join()
"""


def test_a_fork_waits_for_another_threads_import_without_locking_it_out(tmp_path) -> None:
    assert python("-W", "ignore", "-c", FORK_DURING_AN_IMPORT, tmp_path, timeout=PATIENCE) == "0\n"


# The hooks of AWS Lambda's runtime, run in order of registration, or the reverse.
HOOKS = """
before, after = [], []
def register_before_snapshot(hook, *words): before.insert(0, (hook, words))
def register_after_restore(hook, *words): after.append((hook, words))
def run(hooks):
    for hook, words in hooks:
        hook(*words)
"""
CLONES = """
import sys
import snapshot_restore_py as hooks
import leafid
ids = leafid.Snowflake(store=sys.argv[1], timeout=20)
orders = leafid.Segment("orders", sys.argv[1], timeout=20)
first = ids.next(), orders.next()
hooks.run(hooks.before)
print(ids.stats().in_hand, orders.stats().in_hand, flush=True)
hooks.run(hooks.after)
again = ids.next(), orders.next()
print(again[0] > first[0], again[1] > 1_000, flush=True)
"""


def test_hooks_are_registered_where_images_are_taken(server, tmp_path, monkeypatch) -> None:
    server.create_tag("orders", step=1_000)
    (tmp_path / "snapshot_restore_py.py").write_text(HOOKS)
    monkeypatch.setenv("AWS_LAMBDA_INITIALIZATION_TYPE", "snap-start")
    said = python("-c", CLONES, server.url, path=tmp_path)
    assert said.split() == ["0", "0", "True", "True"]
    assert code("import leafid; print('imported')") == "imported\n", "also without the library"
    monkeypatch.setenv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")
    said = python("-c", CLONES, server.url, path=tmp_path)
    assert "0 0" not in said, "the control: elsewhere nothing is registered"


ORDER = """
import os, sys, warnings
warnings.simplefilter("ignore")
told = []
os.register_at_fork(before=lambda: told.append(ids.next()), after_in_child=lambda: told.append(ids.next()),
                    after_in_parent=lambda: told.append(ids.next()))
import leafid
os.register_at_fork(before=lambda: told.append(ids.next()), after_in_child=lambda: told.append(ids.next()),
                    after_in_parent=lambda: told.append(ids.next()))
ids = leafid.Segment("orders", sys.argv[1], timeout=20)
ids.next()
seen, tell = os.pipe()
pid = os.fork()
told.append(ids.next())
if pid == 0:
    os.write(tell, " ".join(map(str, told)).encode())
    leafid.release_all()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
print(*told)
print(os.read(seen, 1_000).decode())
"""


def test_hooks_at_a_fork_may_draw(server) -> None:
    """With hooks registered before leafid's own, and after."""
    server.create_tag("orders", step=100)
    parent, child = (list(map(int, line.split())) for line in code(ORDER, server.url).splitlines())
    assert len(parent) == len(child) == 5
    assert parent[:2] == child[:2], "drawn before the fork"
    assert len({*parent, *child}) == 8 and all(id > 100 for id in child[2:])
