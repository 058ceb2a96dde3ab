"""`import leafid` brings leafid: no integration, and no library of one."""

from __future__ import annotations

import json

import pytest

from support.run import code

LIBRARIES = ["celery", "django", "fastapi", "prometheus_client", "pydantic", "pytest", "sqlalchemy",
             "trio", "asyncio", "sqlite3", "multiprocessing", "logging"]  # fmt: skip


def test_nothing_is_imported_unasked() -> None:
    loaded = json.loads(code("import json, sys, leafid; print(json.dumps(sorted(sys.modules)))"))
    assert "leafid._native" in loaded
    assert not set(LIBRARIES) & set(loaded)
    own = {name.removeprefix("leafid.") for name in loaded if name.startswith("leafid.")}
    assert own == {"_children", "_native", "errors"}


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
