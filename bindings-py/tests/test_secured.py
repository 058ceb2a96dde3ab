"""A store with tokens and TLS by its own authority: which callers it accepts, and which servers a holder trusts."""

import os
import subprocess
from pathlib import Path

import pytest

import leafid
from leafid import HttpStore, Segment, Snowflake
from support.places import BINARY, ROOT
from support.server import FILE, Server
from support.waiting import failing, refused_at_once, until

# Committed certificates (an authority of their own, `localhost` and `127.0.0.1`): not every machine can make them.
CA, CERT, KEY = (ROOT / "bindings-js/tests/support/tls" / f"{name}.pem" for name in ("ca", "cert", "key"))


class Secured(Server):
    """A server that needs a token; `good` may use the tag `orders`, and `other` may not."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.tokens, self.more = folder / "tokens.toml", ["--tls-cert", CERT, "--tls-key", KEY]
        store = f"sqlite:{folder / FILE}"
        self.leafid("init", "--store", store)
        self.leafid("tag", "create", "orders", "--store", store)
        self.good = self.token("app")
        self.other = self.token("other", "--tag", "other", "--namespace", "other")

    def leafid(self, *words: object) -> str:
        # Journals of other stores of this user are not its business.
        own = {**os.environ, "XDG_STATE_HOME": str(self.folder), "STATE_DIRECTORY": ""}
        done = subprocess.run([BINARY, *map(str, words)], check=True, capture_output=True, text=True, env=own)
        return done.stdout.strip()

    def token(self, name: str, *words: str) -> str:
        return self.leafid("token", "create", name, "--tokens", self.tokens, *words)

    def options(self) -> list[str]:
        return ["--tokens", str(self.tokens), *map(str, self.more)]


@pytest.fixture
def secured(tmp_path, monkeypatch):
    for name in ("TOKEN", "CA", "CERT", "KEY", "STORE"):
        monkeypatch.delenv(f"LEAFID_{name}", raising=False)
    with Secured(tmp_path) as server:
        yield server


def test_a_token_and_an_authority_of_ones_own(secured, monkeypatch) -> None:
    store = HttpStore(secured.url, token=secured.good, ca=CA)
    assert secured.url.startswith("https://")
    with Segment("orders", store) as ids, Snowflake(store=store) as flakes:
        assert ids.take(3) == [1, 2, 3]
        assert len(set(flakes.take(100))) == 100
    # For a store given as a URL, the environment has the credentials.
    for name, value in {"STORE": secured.url, "TOKEN": secured.good, "CA": str(CA)}.items():
        monkeypatch.setenv(f"LEAFID_{name}", value)
    with Segment("orders") as ids:
        assert ids.next() > 3


def test_whom_it_does_not_let_in_is_told_at_once(secured) -> None:
    for token, error, words in [
        (None, leafid.UnauthorizedError, "token"), ("leafid_wrong", leafid.UnauthorizedError, "token"),
        (secured.other, leafid.ForbiddenError, "`other`"),
    ]:  # fmt: skip
        store = HttpStore(secured.url, token=token, ca=CA)
        for ids in (Segment("orders", store), Snowflake(store=store)):
            said = refused_at_once(ids, error)
            assert words in said and "leafid_wrong" not in said


def is_not_asked(store: HttpStore) -> None:
    with Segment("orders", store) as ids:
        assert isinstance(failing(ids).__cause__, leafid.StoreUnavailableError)


def test_a_server_of_another_authority_is_not_asked(secured) -> None:
    for ca in (None, CERT):
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
    secured.listen = secured.listen.replace("127.0.0.1", "127.0.0.2")
    secured.start()
    told(secured.url, "; use a host name that the server's certificate has", ca=CA)
    told(secured.url.replace("https:", "http:"), "; if it speaks TLS, use `https://`")


def test_a_certificate_of_ones_own(secured) -> None:
    secured.stop()
    secured.more += ["--client-ca", CA]
    secured.start()
    shown = HttpStore(secured.url, token=secured.good, ca=CA, cert=CERT, key=KEY)
    with Segment("orders", shown) as ids:
        assert ids.next() >= 1
    is_not_asked(HttpStore(secured.url, token=secured.good, ca=CA))


def test_files_that_cannot_be_used_are_named(secured) -> None:
    empty = secured.folder / "empty.pem"
    empty.write_text("")
    for given, says in [
        ({"ca": secured.folder / "none.pem"}, "none.pem"),
        ({"ca": empty}, "no certificate"),
        ({"cert": CERT}, "belong together"),
        ({"key": KEY}, "belong together"),
        ({"cert": CERT, "key": empty}, "no private key"),
    ]:
        with pytest.raises(leafid.RequestInvalidError) as raised:
            HttpStore(secured.url, **given)
        assert says in str(raised.value)
