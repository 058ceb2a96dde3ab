"""The daemon thread that calls a user's own store."""

import threading
from typing import Any

from ._native import Carrier


def start(carrier: Carrier, store: Any) -> None:
    """Starts the thread, which ends with the last generator of the store and keeps no process alive."""
    carry = threading.Thread(target=_carry, args=(carrier, store), name="leafid store", daemon=True)
    carry.start()


def _carry(carrier: Carrier, store: Any) -> None:
    try:
        while (call := carrier.poll()) is not None:
            verb, ask = call
            try:
                answer = getattr(store, verb)(ask)
            except BaseException as error:
                carrier.failed(error)
            else:
                carrier.answered(answer)
                del answer
    finally:
        carrier.ended()
