"""The fixtures of the pytest plugin, used in another project's suite."""

import subprocess
import sys

SHOP = """
import sys
from leafid import MemoryStore, Segment, Snowflake

orders = Segment("orders")
events = Snowflake(state=sys.path[0] + "/events")
here = Segment("orders", "http://192.0.2.1:1", timeout=0.01)
own = Segment("orders", MemoryStore())
closed = Segment("orders")
closed.close()
"""

SUITE = """
import leafid, os, pytest, shop
from leafid.testing import isolated

def draw():
    orders = leafid.Segment("orders")
    return [orders.next() for _ in range(3)]

@pytest.mark.parametrize("turn", range(2))
def test_numbers_begin_at_1(leafid_store, turn):
    assert draw() == [1, 2, 3]
    assert draw()[0] > 3, "the same store within a test"

def test_each_has_its_own(leafid_store):
    assert draw() == [1, 2, 3] and leafid_store.startswith("memory:")

@pytest.mark.parametrize("turn", range(2))
def test_generators_of_modules(leafid_store, turn):
    assert [shop.orders.next() for _ in range(3)] == [1, 2, 3]
    assert shop.here.next() > 3, "the same store"
    shop.orders.check()
    assert leafid.decode(shop.events.next()).worker == 0 and not os.path.exists("events")
    assert shop.own.next() == 1 + turn, "a store of its own"
    with pytest.raises(leafid.ClosedError):
        shop.closed.next()

def test_afterwards_they_are_as_before(monkeypatch):
    monkeypatch.delenv("LEAFID_STORE", raising=False)
    with pytest.raises(leafid.RequestInvalidError, match="no store was given"):
        shop.orders.next()
    with pytest.raises(leafid.TimedOutError):
        shop.here.next()
    assert shop.own.next() == 3
    monkeypatch.setenv("LEAFID_STORE", "memory:real")
    assert shop.orders.next() == 1, "an outage is not for ever"

@pytest.mark.parametrize("turn", range(2))
def test_used_ones_begin_again(leafid_store, turn):
    assert [shop.orders.next(), shop.orders.next()] == [1, 2]

def test_they_lose_what_they_held():
    assert shop.orders.next() == 1_001

def test_within_another_one_it_has_a_store_of_its_own(leafid_store):
    assert shop.orders.next() == 1
    for _ in range(2):
        with isolated(leafid_store.removeprefix("memory:")):
            assert shop.orders.next() == 1
    assert 1 < shop.orders.next() < 10_000, "the store of the outer one"

late = leafid.Segment("late")

@pytest.fixture
def shuts_down():
    yield
    with pytest.raises(leafid.RequestInvalidError, match="no store was given"):
        late.next()

def test_what_ends_after_the_test_finds_no_store_of_it(shuts_down, leafid_store):
    assert late.next() == 1

def test_nothing_stays(monkeypatch):
    monkeypatch.delenv("LEAFID_STORE", raising=False)
    with pytest.raises(leafid.RequestInvalidError, match="no store was given"):
        draw()

@pytest.mark.parametrize("turn", range(2))
def test_stamps_are_the_same_in_every_run(leafid_clock, turn):
    store = leafid.MemoryStore(clock=leafid_clock)
    ids = leafid.Snowflake(store=store, clock=leafid_clock, spread=1)
    first = ids.next()
    leafid_clock.advance(1_000)
    print("stamps:", first, ids.next())
    assert leafid.decode(first).time.isoformat() == "2026-01-01T00:00:00+00:00"
    ids.close()
"""


def run(folder, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_fixtures(tmp_path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "test_shop.py").write_text(SUITE)
    stamps = set()
    for _ in range(2):
        done = run(tmp_path, "-q", "-rP")
        assert done.returncode == 0 and "14 passed" in done.stdout, done.stdout + done.stderr
        stamps |= {line for line in done.stdout.splitlines() if line.startswith("stamps:")}
    assert len(stamps) == 1, stamps


DJANGO = """
import pytest
from django.conf import settings

settings.configure(LEAFID_STORE="memory:setting")
from leafid.django import generator

def draw():
    return generator(tag="orders").next()

def test_the_setting():
    assert [draw(), draw()] == [1, 2]

@pytest.mark.parametrize("turn", range(2))
def test_a_store_of_its_own(leafid_store, turn):
    assert [draw(), draw()] == [1, 2]

def test_the_setting_again():
    assert draw() == 1_001, "what was in hand was given back"

def test_no_store(monkeypatch):
    monkeypatch.delenv("LEAFID_STORE", raising=False)
    monkeypatch.setattr(settings, "LEAFID_STORE", None)
    with pytest.raises(Exception, match="no store was given"):
        generator(tag="others").next()
"""


def test_djangos_fields_draw_from_the_test(tmp_path) -> None:
    (tmp_path / "test_shop.py").write_text(DJANGO)
    done = run(tmp_path, "-q")
    assert done.returncode == 0 and "5 passed" in done.stdout, done.stdout + done.stderr


def test_a_suite_that_does_not_use_them_is_left_alone(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("LEAFID_STORE", "http://192.0.2.1:1")
    (tmp_path / "test_other.py").write_text(
        "import os\ndef test_it():\n    assert os.environ['LEAFID_STORE'] == 'http://192.0.2.1:1'\n"
    )
    done = run(tmp_path, "-q")
    assert done.returncode == 0 and "1 passed" in done.stdout
    listed = run(tmp_path, "--fixtures", "-q").stdout
    assert "leafid_store" in listed and "leafid_clock" in listed
