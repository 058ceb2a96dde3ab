"""A database that is away: nothing of a program looks for it before the first ID."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy

import leafid
from leafid import Segment, Snowflake, SqlStore
from leafid.__main__ import main
from support.waiting import failing, first_when_made


def test_generators_are_made_while_the_database_is_away(killed, tmp_path) -> None:
    name = killed.make()
    url = killed.url(name)
    text = killed.sqlalchemy(name)
    killed.kill()
    made = [
        Segment("orders", url, create=True),
        Segment("bills", text, create=True),
        Segment("parts", SqlStore(sqlalchemy.create_engine(text), create=True), create=True),
        Segment("notes", SqlStore(killed.factory(name), create=True), create=True),
    ]
    pages = Snowflake("pages", url, create=True, workers=(5, 9), state=tmp_path / "state")
    assert "127.0.0.1" in str(failing(made[0])), "it says where nobody is"
    killed.start()
    try:
        assert [ids.next(timeout=60) for ids in made] == [1] * 4
        assert leafid.decode(pages.next(timeout=60)).worker == 5
    finally:
        for ids in (*made, pages):
            ids.close()


def test_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / "later" / "ids.db"
    with Segment("orders", f"sqlite:{path}", create=True) as orders:
        assert not path.exists()
        with pytest.raises(leafid.StoreUnknownError, match=str(path.parent)):
            orders.next()
        path.parent.mkdir()
        assert first_when_made(orders) == 1


@pytest.mark.parametrize(("url", "said"), [
    ("postgres://u@h:port/d", "cannot be read"), ("mysql://u@h", "names no database"),
    ("sqlite:", "needs a path"), ("postgresql+psycopg://u@h:port/d", "cannot read it"),
    ("postgresql+none://u@h/d", "has no `postgresql"), ("oracle://u@h/d", "`postgres://…`, `mysql://…`"),
    ("postgresql+asyncpg://u@h/d", "asyncpg is asynchronous, .*`postgresql://…`"),
])  # fmt: skip
def test_an_address_that_is_wrong_is_said_at_once(url, said) -> None:
    with pytest.raises(leafid.LeafidError, match=said):
        Segment("orders", url)


def test_an_asynchronous_engine_is_refused_with_the_way(tmp_path) -> None:
    from sqlalchemy.ext.asyncio import create_async_engine

    with pytest.raises(leafid.RequestInvalidError, match="aiosqlite is asynchronous, .*`sqlite:PATH`"):
        SqlStore(create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'ids.db'}"))


@pytest.mark.engine
@pytest.mark.parametrize("url", [
    "postgres://u:s3cret%zz@127.0.0.1:1/x", "postgres://u:s3cret and@127.0.0.1:1/x",
    "postgres://u:s3cret@127.0.0.1:1/x?s3cret=1", "mysql+pymysql://u:s3cret/1@127.0.0.1:1/x",
    "postgresql+psycopg://u:s3cret@127.0.0.1:s3cret/x", "postgresql+none://u:s3cret@h/x",
    " postgres://u:s3cret@127.0.0.1:1/x", "jdbc:mysql://u:s3cret@h/x", "oracle://u:s3cret/@h/x",
    "postgres://u@127.0.0.1:1/x?password=s3cret",
])  # fmt: skip
def test_no_message_has_a_part_of_a_password(url, capsys) -> None:
    def said(error: BaseException | None) -> str:
        return "" if error is None else f"{error!r} {said(error.__cause__)}"

    with pytest.raises(leafid.LeafidError) as refused:
        SqlStore(url).lease_segment({"tag": "orders", "request": "01" * 16})
    assert "s3cret" not in said(refused.value)
    with pytest.raises(leafid.LeafidError) as refused:
        Segment("orders", url, timeout=0).next()
    assert "s3cret" not in said(refused.value)
    for words in (["next", "orders"], ["tag", "create", "orders"]):
        assert main([*words, "--store", url]) == 1
    assert main(["init", "--store", url]) == 1
    assert "s3cret" not in capsys.readouterr().err


def test_a_command_says_at_once_what_is_not_there(tmp_path, capsys) -> None:
    assert main(["next", "orders", "--store", f"sqlite:{tmp_path / 'ids.db'}", "--timeout", "600"]) == 1
    assert "leafid init" in capsys.readouterr().err


@pytest.mark.engine
def test_a_command_says_at_once_that_nobody_is_there(capsys) -> None:
    assert main(["next", "orders", "--store", "postgres://u@127.0.0.1:1/d", "--timeout", "600"]) == 1
    assert "cannot be reached" in capsys.readouterr().err
