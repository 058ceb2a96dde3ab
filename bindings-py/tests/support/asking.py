"""A request to a server on this machine, over its own connection."""

import http.client
import json
from collections.abc import Mapping

Heard = tuple[int, Mapping[str, str], bytes]


def ask(port: int, method: str = "GET", path: str = "/", body: object = None, timeout: float = 60) -> Heard:
    """Sends a request; returns status, headers and body of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()
