"""`release`: gives back what is in hand; the generator goes on."""

import threading

import pytest

import leafid
from support.child import in_child
from support.waiting import end_all, start_all, until


def test_a_window_is_free_and_the_next_id_is_higher(server) -> None:
    # A window of ten minutes: one of ten seconds is renewed after two, which would add a grant.
    with leafid.Snowflake(store=server.url, length=600) as ids:
        before = ids.next()
        row = server.workers()[0]
        ids.release()
        # `release` waits only up to three seconds until that is sent.
        assert until(lambda: int(server.workers()[0]["reserved_until"]) < int(row["reserved_until"]))
        assert ids.stats().in_hand == 0 and not ids.closed
        after = ids.next()
        assert after > before
        ids.release()
        ids.release()
        assert ids.next() > after
        stats = ids.stats()
        assert (stats.ids, stats.grants) == (3, 3)


def test_before_the_first_id_and_after_the_end(server) -> None:
    ids = leafid.Snowflake(store=server.url)
    ids.release()
    assert server.workers() == []
    ids.next()
    ids.close()
    ids.release()
    with pytest.raises(leafid.ClosedError):
        ids.next()


def test_while_others_draw(server, make) -> None:
    server.create_tag("orders", step=50, max_step=50)
    ids = make(server.url)
    over = threading.Event()
    drawn: list[list[int]] = [[] for _ in range(4)]

    def draw(mine: list[int]) -> None:
        while not over.is_set():
            mine.append(ids.next())

    callers = start_all(threading.Thread(target=draw, args=(mine,)) for mine in drawn)
    try:
        for _ in range(60):
            before = sum(map(len, drawn))
            assert until(lambda: sum(map(len, drawn)) > before)
            ids.release()
    finally:
        over.set()
    end_all(callers)
    grants = ids.stats().grants
    ids.close()
    every = [id for mine in drawn for id in mine]
    print(f"{ids}: {len(every)} IDs, {grants} grants, 60 releases")
    assert all(mine == sorted(mine) for mine in drawn)
    assert len(every) == len(set(every)) >= 60 and grants >= 30


def test_all_of_a_process_at_once(server) -> None:
    server.create_tag("orders")
    ids, orders = leafid.Snowflake(store=server.url, length=600), leafid.Segment("orders", server.url)
    first = ids.next(), orders.next()
    reserved = int(server.workers()[0]["reserved_until"])
    leafid.release_all()
    # The call waits only up to a second until that is sent.
    assert until(lambda: int(server.workers()[0]["reserved_until"]) < reserved)
    assert (ids.stats().in_hand, orders.stats().in_hand) == (0, 0)
    assert ids.next() > first[0] and orders.next() > first[1]
    leafid.forget_all()
    assert (ids.stats().in_hand, orders.stats().in_hand) == (0, 0)
    ids.close(), orders.close()


def test_a_child_gives_back_nothing_of_its_parents(server) -> None:
    # A window of ten minutes: not renewed meanwhile.
    ids = leafid.Snowflake(store=server.url, length=600)
    ids.next()
    reserved = int(server.workers()[0]["reserved_until"])
    assert in_child(lambda: leafid.release_all() or ids.release()) == "None"
    assert int(server.workers()[0]["reserved_until"]) == reserved
    ids.close()
