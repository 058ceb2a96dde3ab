"""A script that draws until it is killed, and records each ID:

    python drawing.py segment|snowflake|both STORE FILE COUNT [unguarded]
    python drawing.py state STORE FILE COUNT FOLDER

It ends after COUNT IDs. With `unguarded`, the control, the store writes whatever it has read, in a file
also without a transaction; it then waits at the start until four processes run. With `state`, it keeps
its window in a folder of state files, and draws ahead of the clock, so that a run that starts below the
end of the last one gives the same IDs again.
"""

import re
import sys
import time
from pathlib import Path

import leafid


def take_the_guard_off() -> None:
    from leafid._native import decide, sql_texts
    from leafid._sql.database import database, engine
    from leafid._sql.file import sqlite

    def without_the_condition(is_leaf, store, now, verb, ask, run, guest=None):
        # A holder's claim would stop the tag for all others.
        ask = {field: value for field, value in ask.items() if field != "have_until"}

        def slowly(name, params):
            if "was_max_id" in params:
                time.sleep(0.002)
            return run(name, params)

        return decide(is_leaf, store, now, verb, ask, slowly, guest)

    def texts_without_the_condition(dialect):
        version, texts = sql_texts(dialect)
        sql, names = texts["tag_change"]
        sql = re.sub(r" AND max_id = .*?(?=\nRETURNING|$)", "", sql, flags=re.DOTALL)
        return version, texts | {"tag_change": (sql, names[: names.index("tag") + 1])}

    sqlite.TEXTS = texts_without_the_condition("sqlite")[1]
    engine.sql_texts = texts_without_the_condition
    sqlite.File.begin = lambda self, opened: None
    for module in (sqlite, database):
        module.decide = without_the_condition


def main(kind: str, store: str, file: Path, count: int, word: str) -> None:
    ids: list[leafid.Segment | leafid.Snowflake] = []
    if kind in ("segment", "both"):
        ids.append(leafid.Segment("orders", store, timeout=600))
    if kind in ("snowflake", "both"):
        ids.append(leafid.Snowflake("default", store, timeout=600, length=1.0))
    if kind == "state":
        ids.append(leafid.Snowflake("edge", store, timeout=600, max_ahead=3, state=f"{word}/"))
    together, each_time = word == "unguarded", 1_000 if kind == "state" else 10
    with file.open("a") as drawn:
        while together and len(list(file.parent.glob("*.ids"))) < 4:
            time.sleep(0.002)
        for _ in range(count // each_time):
            for each in ids:
                batch = each.take(each_time)
                drawn.write("".join(f"{id}\n" for id in batch))
                drawn.flush()


if __name__ == "__main__":
    kind, store, file, count, *rest = sys.argv[1:]
    if rest == ["unguarded"]:
        take_the_guard_off()
    main(kind, store, Path(file), int(count), "".join(rest))
