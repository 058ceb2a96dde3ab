"""Background events in the logger `leafid`, and metrics scraped by Prometheus' own client."""

import logging

from prometheus_client import CollectorRegistry, generate_latest

import leafid
from leafid.prometheus import Collector
from support.run import code
from support.waiting import PATIENCE, failing, until


def test_an_outage_is_two_lines(server, caplog) -> None:
    caplog.set_level(logging.INFO, logger="leafid")
    server.create_tag("orders", step=10, max_step=10)
    ids = leafid.Segment("orders", server.url, timeout=PATIENCE)
    ids.next()
    server.stop()
    for _ in range(8):
        ids.next()

    def lines(level: int) -> list[str]:
        return [r.getMessage() for r in caplog.records if r.name == "leafid" and r.levelno == level]

    assert until(lambda: ids.stats().failures >= 3)
    assert until(lambda: lines(logging.WARNING))
    server.start()
    ids.take(10)
    assert until(lambda: lines(logging.INFO))
    (warning,), (info,) = lines(logging.WARNING), lines(logging.INFO)
    assert warning.startswith("tag `orders`: STORE_UNAVAILABLE: no answer from `http://127.0.0.1:")
    assert "IDs at hand)" in warning and info == "tag `orders` has IDs again"
    ids.close()


def test_a_child_writes_its_own(server, tmp_path) -> None:
    server.create_tag("orders", step=10, max_step=10)
    said = code(
        """
        import logging, os, sys, leafid, warnings
        warnings.simplefilter("ignore")
        logging.basicConfig(filename=sys.argv[2], format="%(process)d %(message)s")
        ids = leafid.Segment("orders", sys.argv[1])
        ids.next()
        pid = os.fork()
        if pid == 0:
            try:
                leafid.Segment("none", sys.argv[1]).next()
            except leafid.TagUnknownError:
                leafid._native.close_all()
                os._exit(0)
            os._exit(1)
        assert os.waitpid(pid, 0)[1] == 0
        print(os.getpid(), pid)
        """,
        server.url,
        tmp_path / "log",
    )
    parent, child = said.split()
    (line,) = (tmp_path / "log").read_text().splitlines()
    assert line.startswith(f"{child} tag `none`: TAG_UNKNOWN: ")


def test_who_does_not_listen_is_told_nothing(server) -> None:
    """Without a handler there is no thread, and no line on standard error."""
    program = """
        import sys
        {listens}
        import leafid
        from pathlib import Path
        ids = leafid.Segment("none", sys.argv[1])
        try:
            ids.next()
        except leafid.TagUnknownError:
            print(*(task.read_text() for task in Path("/proc/self/task").glob("*/comm")))
    """
    for listens in ("", "import logging"):
        said = code(program.format(listens=listens), server.url)
        assert "leafid store" in said and "leafid log" not in said
    with_handler = "import logging; logging.basicConfig(stream=sys.stdout)"
    for _ in range(5):
        # The end of the interpreter waits for the last line.
        said = code(program.format(listens=with_handler), server.url)
        assert said.count("WARNING:leafid:tag `none`: TAG_UNKNOWN") == 1, said


def test_what_is_scraped(memory) -> None:
    memory.create_tag("orders", step=10)
    orders, more = leafid.Segment("orders", memory), leafid.Segment("orders", memory)
    events = leafid.Snowflake(store=memory)
    nowhere = leafid.Segment("none", "http://127.0.0.1:1")
    registry = CollectorRegistry()
    registry.register(Collector(orders, more, events, nowhere))
    orders.take(5), more.next(), events.next()
    failing(nowhere)

    def value(name: str, kind: str = "segment", of: str = "orders") -> float | None:
        return registry.get_sample_value(f"leafid_{name}", {"kind": kind, "name": of})

    assert value("ids_total") == 6, "of both generators of this name"
    assert value("grants_total") >= 2 and value("in_hand") >= 14
    assert value("ids_total", "snowflake", "default") == 1
    assert value("failures_total", of="none") >= 1
    assert (value("failing"), value("failing", of="none")) == (0, 1)
    orders.take(2)
    assert value("ids_total") == 8
    text = generate_latest(registry).decode()
    assert "# TYPE leafid_ids_total counter" in text and "# TYPE leafid_in_hand gauge" in text
