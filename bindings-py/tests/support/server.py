"""The real store: the `leafid` binary on a loopback port and in its own folder."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path

from support.asking import ask
from support.ending import bound
from support.places import BINARY
from support.port import Port

FILE = "leafid.db"


class Server:
    """Runs `leafid serve`; `url` is its address."""

    def __init__(self, folder: Path, store: str | None = None, journal: Path | None = None) -> None:
        self.folder = Path(folder)
        self.port = Port()
        self.listen = f"127.0.0.1:{self.port.number}"
        self.store = store or f"sqlite:{self.folder / FILE}"
        self.journal = ["--no-journal"] if journal is None else ["--journal", str(journal)]
        if journal is not None:
            journal.mkdir(exist_ok=True)
        self.url = ""
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Server:
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            self.stop()
        finally:
            self.port.give_back()

    def start(self) -> None:
        assert BINARY.exists(), f"no store to test against: `{BINARY}` (`cargo xtask build`)"
        command = [*bound(), BINARY, "serve", "--create", *self.journal, "--store", self.store]
        self.process = subprocess.Popen(
            [*command, "--listen", self.listen, *self.options()],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line)
            if "listening on " in line:
                self.url = line.split("listening on ", 1)[1].split()[0]
                break
        assert self.url, f"the store did not start: {''.join(said)}"
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def options(self) -> list[str]:
        """More options for the command."""
        return []

    def stop(self) -> None:
        """Ends the server gracefully."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            self.process = None

    def kill(self) -> None:
        """Kills the server, as a power cut does."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(timeout=60)
        self.process = None

    def call(self, method: str, path: str, body: object = None) -> tuple[int, dict]:
        status, _, text = ask(self.port.number, method, path, body or {})
        return status, json.loads(text) if text else {}

    def create_namespace(self, namespace: str, **fields: object) -> None:
        status, said = self.call("PUT", f"/v1/namespaces/{namespace}", fields)
        assert status < 300, said

    def workers(self) -> list[dict]:
        """The rows of the worker numbers of `default`."""
        return self.call("GET", "/v1/workers/default")[1]["workers"]

    def create_tag(self, tag: str, **fields: object) -> None:
        status, said = self.call("PUT", f"/v1/tags/{tag}", fields)
        assert status < 300, said

    def tag(self, tag: str) -> dict:
        """A tag's row; `max_id` is its next number."""
        status, row = self.call("GET", f"/v1/tags/{tag}")
        assert status == 200, row
        return {**row, "max_id": int(row["max_id"])}
