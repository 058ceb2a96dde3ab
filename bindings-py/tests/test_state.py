"""A snowflake's state file: its use, and the files that are refused, or ignored with a warning."""

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

import leafid
from leafid import MemoryStore, Snowflake, SqliteStore
from support.child import in_child
from support.run import code, running
from support.waiting import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are state files on Linux only")

NOWHERE = "http://127.0.0.1:1"
SLOT = 512


@pytest.fixture
def state(tmp_path) -> Path:
    return tmp_path / "state"


def used(state: Path, memory: MemoryStore, **options: object) -> int:
    """Leaves a window in the file; returns the last ID."""
    # A window of ten minutes, in which the next run starts even on a slow machine.
    with Snowflake(store=memory, state=state, **{"length": 600, **options}) as ids:
        return ids.take(100)[-1]


def has_nothing(state: Path) -> None:
    """Checks that a run without a store gets no ID from the file."""
    with pytest.raises(leafid.TimedOutError):
        Snowflake(store=NOWHERE, state=state).next(timeout=0.3)


def test_the_next_life_needs_no_store(memory, state) -> None:
    last = used(state, memory)
    ids = Snowflake(store=NOWHERE, state=str(state))
    after = ids.take(100)
    assert after[0] > last and after == sorted(after)
    worker = leafid.decode(last).worker
    assert {leafid.decode(id).worker for id in after} == {worker}
    assert stat.S_IMODE(state.stat().st_mode) == 0o600 and state.stat().st_size == 2 * SLOT


@pytest.mark.parametrize("give_up", [
    lambda ids: ids.close(release=True),
    lambda ids: (ids.forget(), ids.close()),
], ids=["given up", "forgotten"])  # fmt: skip
def test_what_is_dropped_is_not_used_again(memory, state, give_up) -> None:
    ids = Snowflake(store=memory, state=state)
    assert ids.next() > 0
    give_up(ids)
    has_nothing(state)


@pytest.mark.filterwarnings("ignore")
def test_a_forked_child_keeps_none(state, tmp_path) -> None:
    store = SqliteStore(tmp_path / "ids.db", create=True)
    ids = Snowflake(store=store, state=state)
    before = ids.next()
    theirs, ours = int(in_child(lambda: (ids.next(), ids.close())[0])), ids.next()
    ids.close()
    with Snowflake(store=NOWHERE, state=state) as life:
        again = life.next()
    assert len({before, theirs, ours, again}) == 4 and before < ours < again
    worker = [leafid.decode(id).worker for id in (before, theirs, ours, again)]
    assert worker[0] == worker[2] == worker[3] != worker[1]


def test_a_child_that_lives_on_does_not_keep_the_lock(memory, state, tmp_path) -> None:
    parent = """
        import os, sys, time
        from leafid import Snowflake
        ids = Snowflake(store="memory:", state=sys.argv[1])
        ids.next()
        child = os.fork()
        if child == 0:
            # It let go of the file before it comes here.
            print(os.getpid(), flush=True)
            sys.stdin.read()
        os._exit(0)
        """
    with running(parent, state) as process:
        assert process.stdout is not None and int(process.stdout.readline()) > 0
        process.wait(timeout=300)
        # The child waits for the end of its input; the file is free meanwhile.
        ids = Snowflake(store=NOWHERE, state=state)
        assert ids.next() > 0


def test_a_file_that_another_process_has_is_not_used(memory, state) -> None:
    first = Snowflake(store=memory, state=state)
    first.next()
    second = Snowflake(store=memory, state=state)
    with pytest.warns(RuntimeWarning, match=f"`{state}` is locked by another process"):
        id = second.next()
    assert leafid.decode(id).worker != leafid.decode(first.next()).worker


def damaged(state: Path) -> None:
    broken = bytearray(state.read_bytes())
    for at in range(100, 2 * SLOT, SLOT):
        broken[at] ^= 1
    state.write_bytes(broken)


def copied(state: Path) -> None:
    for end in ("", ".lock"):
        os.rename(f"{state}{end}", f"{state}-first{end}")
    shutil.copy(f"{state}-first", state)


DAMAGED = "is damaged, or of another version, and is not used"
NOT_USED = {
    "damaged": (damaged, "default", DAMAGED),
    "copied": (copied, "default", "was copied, and is not used"),
    "another namespace": (lambda state: None, "other", "is of another namespace or layout, and is not used"),
    **{
        f"cut to {length}": (lambda state, length=length: os.truncate(state, length), "default", DAMAGED)
        for length in (8, SLOT, 700, 2 * SLOT - 1)
    },
}


@pytest.mark.parametrize("case", NOT_USED)
def test_a_file_that_is_of_no_use_is_warned_of(memory, state, case) -> None:
    spoil, namespace, warning = NOT_USED[case]
    used(state, memory)
    spoil(state)
    memory.create_namespace("other")
    with Snowflake(namespace, memory, state=state) as ids, pytest.warns(RuntimeWarning, match=warning):
        ids.next()


def link(state: Path) -> None:
    state.symlink_to(state.with_name("elsewhere"))


def second_name(state: Path) -> None:
    used(state.with_name("one"), MemoryStore())
    os.link(state.with_name("one"), state)


NONE = "is not a state file of leafid: pass another path"
def strange_in_a_folder(state: Path) -> None:
    state.mkdir()
    (state / "default.0.state").write_text("something else\n")


REFUSED = {
    "a text": (lambda state: state.write_text("something else\n"), "", NONE),
    "a text in a folder": (strange_in_a_folder, "", NONE),
    "noise": (lambda state: state.write_bytes(b"x" * 2 * SLOT), "", NONE),
    "a link": (link, "", "is a symbolic link"),
    "two names": (second_name, "", "has 2 names"),
    "a pipe": (os.mkfifo, "", "is no plain file"),
    "no place for files": (lambda state: state.symlink_to("/proc"), "/leafid", "cannot be opened"),
    "no folder": (lambda state: None, "/state", "cannot be opened: No such file .*: make its folder first"),
    "a slash too many": (lambda state: None, "/", "cannot be read: No such file .*: make it first"),
    "a file as a folder": (
        Path.touch, "/", "cannot be read: Not a directory .*: it is a file, leave the `/` at its end out",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_state_file_is_refused(memory, state, case) -> None:
    make, end, message = REFUSED[case]
    make(state)
    is_file = state.is_file() and not state.is_symlink()
    before = state.read_bytes() if is_file else b""
    ids = Snowflake(store=memory, state=f"{state}{end}")
    for _ in range(2):
        with pytest.raises(leafid.StateInvalidError, match=message):
            ids.next()
    assert ids.stats().asks == 0, "nothing was leased"
    assert not is_file or state.read_bytes() == before
    assert not state.with_name("elsewhere").exists()


# Writes beyond the limit fail, as on a full disk.
FULL = """
import resource, sys, warnings
import leafid

def ids_with(state, *, room):
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    return leafid.Snowflake(store="memory:", state=state)

try:
    ids_with(sys.argv[1], room=600).next()
except leafid.StateInvalidError as error:
    print(error)
ids = ids_with(sys.argv[2], room=resource.RLIM_INFINITY)
first = ids.next()
ids_with(sys.argv[2], room=0)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    while not told:
        ids.ready(1)
print(ids.next() > first, ids.stats().state_code, *[one.message for one in told])
"""


def test_a_disk_without_room(tmp_path) -> None:
    """At the start it is refused; later the file is abandoned, and a program without `logging` is warned."""
    refused, abandoned = code(FULL, tmp_path / "first", tmp_path / "second").splitlines()
    assert "cannot be written: File too large" in refused
    assert abandoned.startswith("True STATE_INVALID ")
    assert "cannot be written: File too large" in abandoned and "it is abandoned" in abandoned


@pytest.mark.parametrize("ending", ["", ".lock"])
def test_a_file_that_is_taken_away_is_abandoned(memory, state, caplog, ending: str) -> None:
    ids = Snowflake(store=memory, state=state)
    first = ids.next()
    assert ids.stats().state_code is None
    os.remove(f"{state}{ending}")
    if ending:
        Path(f"{state}{ending}").touch()
    # IDs continue under another worker number.
    assert until(lambda: leafid.decode(ids.next()).worker != leafid.decode(first).worker)
    assert ids.stats().state_code == "STATE_INVALID"

    def lines() -> list[str]:
        return [r.getMessage() for r in caplog.records if "is abandoned" in r.getMessage()]

    assert until(lines)
    (line,) = lines()
    assert line.startswith(f"namespace `default`: STATE_INVALID: the state file `{state}` was removed or replaced")
    ids.close()
    # Another process finds no file under the name, or one with another lock.
    with Snowflake(store=memory, state=state) as after:
        if ending:
            with pytest.warns(RuntimeWarning, match="was copied, and is not used"):
                after.next()
        assert after.next() > first
