"""A store with tokens and TLS by its own authority: which callers it accepts, and which servers a holder trusts."""

import shutil
import subprocess
from pathlib import Path

import pytest

import leafid
from leafid import HttpStore, Segment, Snowflake
from support.places import BINARY, not_run
from support.server import Server
from support.waiting import failing, refused_at_once, until


NEW = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


def openssl(*words: str | Path) -> None:
    if shutil.which("openssl") is None:
        not_run("tls", "openssl", "openssl")
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Secured(Server):
    """A server that needs a token and, by default, a client certificate of its authority."""

    def __init__(self, folder: Path, mutual: bool = False) -> None:
        super().__init__(folder)
        self.mutual = mutual
        self.ca, self.tokens = self.folder / "ca.pem", self.folder / "tokens.toml"
        self.authority("ca")
        self.certify("server")
        self.certify("client")

    def pem(self, name: str) -> tuple[Path, Path]:
        return self.folder / f"{name}.pem", self.folder / f"{name}-key.pem"

    def authority(self, name: str) -> None:
        cert, key = self.pem(name)
        openssl("req", "-x509", *NEW, "-subj", f"/CN={name}", "-days", "30", "-keyout", key, "-out", cert)

    def certify(self, name: str, names: str = "DNS:localhost,IP:127.0.0.1") -> None:
        (cert, key), (ca, ca_key) = self.pem(name), self.pem("ca")
        wish, extra = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        extra.write_text(f"subjectAltName={names}\n")
        openssl("req", *NEW, "-subj", f"/CN={name}", "-keyout", key, "-out", wish)
        signed = ["-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days", "30"]
        openssl("x509", "-req", "-in", wish, *signed, "-extfile", extra, "-out", cert)

    def leafid(self, *words: str | Path) -> str:
        done = subprocess.run([str(BINARY), *map(str, words)], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def token(self, name: str, *words: str) -> str:
        return self.leafid("token", "create", name, "--tokens", self.tokens, *words)

    def options(self) -> list[str]:
        cert, key = self.pem("server")
        said = ["--tokens", self.tokens, "--tls-cert", cert, "--tls-key", key]
        return [str(word) for word in [*said, *(["--client-ca", self.ca] if self.mutual else [])]]


@pytest.fixture
def secured(tmp_path, monkeypatch):
    for name in ("TOKEN", "CA", "CERT", "KEY", "STORE"):
        monkeypatch.delenv(f"LEAFID_{name}", raising=False)
    server = Secured(tmp_path)
    store = f"sqlite:{tmp_path / 'leafid.db'}"
    server.leafid("init", "--store", store)
    server.leafid("tag", "create", "orders", "--store", store)
    server.good = server.token("app")
    with server:
        yield server


def test_a_token_and_an_authority_of_ones_own(secured, monkeypatch) -> None:
    store = HttpStore(secured.url, token=secured.good, ca=secured.ca)
    assert secured.url.startswith("https://")
    with Segment("orders", store) as ids, Snowflake(store=store) as flakes:
        assert ids.take(3) == [1, 2, 3]
        assert len(set(flakes.take(100))) == 100
    # For a store given as a URL, the environment has the credentials.
    for name, value in {"STORE": secured.url, "TOKEN": secured.good, "CA": str(secured.ca)}.items():
        monkeypatch.setenv(f"LEAFID_{name}", value)
    with Segment("orders") as ids:
        assert ids.next() > 3


def test_whom_it_does_not_let_in_is_told_at_once(secured) -> None:
    other = secured.token("other", "--tag", "other", "--namespace", "other")
    secured.stop()
    secured.start()
    for token, error, words in [
        (None, leafid.UnauthorizedError, "token"), ("leafid_wrong", leafid.UnauthorizedError, "token"),
        (other, leafid.ForbiddenError, "`other`"),
    ]:  # fmt: skip
        store = HttpStore(secured.url, token=token, ca=secured.ca)
        for ids in (Segment("orders", store), Snowflake(store=store)):
            said = refused_at_once(ids, error)
            assert words in said and "leafid_wrong" not in said


def is_not_asked(store: HttpStore) -> None:
    with Segment("orders", store) as ids:
        assert isinstance(failing(ids).__cause__, leafid.StoreUnavailableError)


def test_a_server_of_another_authority_is_not_asked(secured) -> None:
    secured.authority("strange")
    for ca in (None, secured.folder / "strange.pem"):
        is_not_asked(HttpStore(secured.url, token=secured.good, ca=ca))


def told(url: str, words: str, **options: object) -> None:
    """Waits until the last failure has this message: on a busy machine others may come first."""
    said = [""]

    def is_told() -> bool:
        with pytest.raises(leafid.TimedOutError) as raised:
            ids.next(timeout=0.1)
        said.append(str(raised.value))
        return said[-1].endswith(words)

    with Segment("orders", HttpStore(url, **options)) as ids:
        assert until(is_told), said[-1]


def test_a_certificate_for_another_name_and_a_scheme_without_tls_are_told(secured) -> None:
    secured.stop()
    secured.certify("server", "DNS:ids.example")
    secured.start()
    told(secured.url, "; use a host name that the server's certificate has", ca=secured.ca)
    told(secured.url.replace("https:", "http:"), "; if it speaks TLS, use `https://`")


def test_a_certificate_of_ones_own(secured) -> None:
    secured.stop()
    secured.mutual = True
    secured.start()
    cert, key = secured.pem("client")
    shown = HttpStore(secured.url, token=secured.good, ca=secured.ca, cert=cert, key=key)
    with Segment("orders", shown) as ids:
        assert ids.next() >= 1
    is_not_asked(HttpStore(secured.url, token=secured.good, ca=secured.ca))


def test_files_that_cannot_be_used_are_named(secured) -> None:
    cert, key = secured.pem("client")
    empty = secured.folder / "empty.pem"
    empty.write_text("")
    for given, says in [
        ({"ca": secured.folder / "none.pem"}, "none.pem"),
        ({"ca": empty}, "no certificate"),
        ({"cert": cert}, "belong together"),
        ({"key": key}, "belong together"),
        ({"cert": cert, "key": empty}, "no private key"),
    ]:
        with pytest.raises(leafid.RequestInvalidError) as raised:
            HttpStore(secured.url, **given)
        assert says in str(raised.value)
