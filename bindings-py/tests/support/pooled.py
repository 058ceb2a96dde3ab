"""A pool that is given a generator: as a script, it prints what its processes drew as JSON.

    python pooled.py spawn|forkserver URL
"""

from __future__ import annotations

import json
import multiprocessing
import sys

import leafid


def draw(ids: leafid.Segment, count: int) -> list[int]:
    return [ids.next() for _ in range(count)]


if __name__ == "__main__":
    method, url = sys.argv[1:]
    ids = leafid.Segment("orders", url)
    with multiprocessing.get_context(method).Pool(3) as pool:
        print(json.dumps([id for part in pool.starmap(draw, [(ids, 200)] * 6) for id in part]))
