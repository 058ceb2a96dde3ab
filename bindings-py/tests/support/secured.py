"""A store that others reach: with tokens, and certificates of an authority of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from support.places import BINARY, not_run
from support.server import Server

CLEAN = ("LEAFID_TOKEN", "LEAFID_CA", "LEAFID_CERT", "LEAFID_KEY")


def openssl(*words: str | Path) -> None:
    if shutil.which("openssl") is None:
        not_run("tls", "openssl", "openssl")
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Secured(Server):
    """Asks for a token and, unless it is told otherwise, for a certificate of its authority."""

    def __init__(self, folder: Path, mutual: bool = False) -> None:
        super().__init__(folder)
        self.mutual = mutual
        self.ca = self.folder / "ca.pem"
        self.tokens = self.folder / "tokens.toml"
        self.authority("ca")
        self.certify("server")
        self.certify("client")

    def pem(self, name: str) -> tuple[Path, Path]:
        return self.folder / f"{name}.pem", self.folder / f"{name}-key.pem"

    def authority(self, name: str) -> None:
        cert, key = self.pem(name)
        subject = ["-subj", f"/CN={name}", "-days", "30"]
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        openssl("req", "-x509", *new, *subject, "-keyout", key, "-out", cert)

    def certify(self, name: str, names: str = "DNS:localhost,IP:127.0.0.1") -> None:
        (cert, key), (ca, ca_key) = self.pem(name), self.pem("ca")
        wish, extra = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        extra.write_text(f"subjectAltName={names}\n")
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        openssl("req", *new, "-subj", f"/CN={name}", "-keyout", key, "-out", wish)
        signed = ["-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days", "30"]
        openssl("x509", "-req", "-in", wish, *signed, "-extfile", extra, "-out", cert)

    def leafid(self, *words: str | Path) -> str:
        kept = {name: value for name, value in os.environ.items() if name not in CLEAN}
        done = subprocess.run(
            [str(BINARY), *map(str, words)], check=True, capture_output=True, text=True, env=kept
        )
        return done.stdout.strip()

    def token(self, name: str, *words: str) -> str:
        return self.leafid("token", "create", name, "--tokens", self.tokens, *words)

    def options(self) -> list[str]:
        cert, key = self.pem("server")
        said = ["--tokens", self.tokens, "--tls-cert", cert, "--tls-key", key]
        return [str(word) for word in [*said, *(["--client-ca", self.ca] if self.mutual else [])]]
