"""A server with a test's own answers: over HTTP, and as a user's own store."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable

Answer = tuple[int, dict[str, str], bytes]
JSON = {"content-type": "application/json"}
PROBLEM = {"content-type": "application/problem+json"}


class Answers:
    """Listens on a free loopback port; `answer(path, body)` returns status, headers and body, or `None`
    to cut the connection."""

    def __init__(self, answer: Callable[[str, dict[str, Any]], Answer | None]) -> None:
        self.answer = answer
        self.asked: list[tuple[str, dict[str, Any]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Otherwise the body waits up to 40 ms until the client acknowledges the headers.
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(length))
                outer.asked.append((self.path, body))
                outer.headers = dict(self.headers)
                answer = outer.answer(self.path, body)
                if answer is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                status, headers, text = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *words: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *words: object) -> None:
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Answers:
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(60)


def wire(grant: dict[str, Any]) -> bytes:
    """A grant in its wire form: IDs and ticks are decimal strings."""
    big = {"start", "end", "remaining"}
    shown = {field: str(value) if field in big else value for field, value in grant.items()}
    return json.dumps(shown).encode()


def problem(code: str, status: int, **fields: Any) -> Answer:
    """A store's refusal."""
    body = {"type": "about:blank", "title": code, "status": status, "code": code, **fields}
    return status, PROBLEM, json.dumps(body).encode()
