"""A script with pools whose children end by `os._exit`, which prints their IDs as JSON.

    LEAFID_STORE=URL python pooling.py fork|forkserver|spawn|executor|processes|celery
"""

import json
import multiprocessing
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from web import draw, events, orders


def into(queue: Any) -> None:
    queue.put(draw())


def celerys(*words: Any, **how: Any) -> Any:
    """The pool of a celery worker, whose processes end as there."""
    from billiard.pool import Pool
    from celery.concurrency.prefork import process_destructor

    return Pool(*words, **how, on_process_exit=process_destructor)


def main(how: str) -> list[dict[str, Any]]:
    orders.next(), events.next()
    context: Any = multiprocessing.get_context(how if how in ("forkserver", "spawn") else "fork")
    if how == "executor":
        told: list[dict[str, Any]] = []
        with ProcessPoolExecutor(4, mp_context=context) as executor:
            # The first process to run may take all tasks.
            while len({answer["pid"] for answer in told}) < 2 and len(told) < 4_000:
                told += executor.map(draw, range(40))
        return told
    if how == "processes":
        queue = context.SimpleQueue()
        children = [context.Process(target=into, args=(queue,)) for _ in range(8)]
        for child in children:
            child.start()
        told = [queue.get() for _ in children]
        for child in children:
            child.join()
        return told
    if how == "celery":
        pool = celerys(4, maxtasksperchild=5)
    else:
        pool = context.Pool(4, maxtasksperchild=5)
    told = pool.map(draw, range(40), chunksize=1)
    pool.close()
    pool.join()
    return told


if __name__ == "__main__":
    warnings.simplefilter("ignore", DeprecationWarning)
    print(json.dumps(main(sys.argv[1])))
