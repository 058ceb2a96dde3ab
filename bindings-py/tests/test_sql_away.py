"""A database that is away: nothing of a program looks for it before the first ID."""

from __future__ import annotations

import pytest
import sqlalchemy

import leafid
from leafid import Segment, Snowflake, SqlStore
from leafid.__main__ import main
from support.waiting import failing


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


@pytest.mark.parametrize("url", [
    "postgres://u:s3cret@h:port/d", "postgres://:s3cret@h/d", "postgres://u:s3cret@h", "mysql://u:s3@cret@h/d",
    "mysql://u:s3cret@h/d?colour=s3cret", "mysql://u:s3cret@h", "mysql://u:s3cret@h/d?tags=tags",
    "postgres://u:s3cret@h/d?tags=leaf_alloc", "oracle://u:s3cret@h/d",
    *(pytest.param(url, marks=pytest.mark.engine) for url in [
        "postgres://u:s3cret%zz@127.0.0.1:1/x", "postgres://u:s3cret and@127.0.0.1:1/x",
        "postgres://u:s3cret@127.0.0.1:1/x?s3cret=1", "mysql+pymysql://u:s3cret/1@127.0.0.1:1/x",
        "postgresql+psycopg://u:s3cret@127.0.0.1:s3cret/x", "postgresql+none://u:s3cret@h/x",
        " postgres://u:s3cret@127.0.0.1:1/x", "jdbc:mysql://u:s3cret@h/x", "oracle://u:s3cret/@h/x",
        "postgres://u@127.0.0.1:1/x?password=s3cret",
    ]),
])  # fmt: skip
def test_no_message_has_a_part_of_a_password(url, capsys) -> None:
    def said(error: BaseException | None) -> str:
        return "" if error is None else f"{error!r} {said(error.__cause__)}"

    for act in (lambda: SqlStore(url).id, lambda: Segment("orders", url, timeout=0).next()):
        with pytest.raises(leafid.LeafidError) as refused:
            act()
        assert "cret" not in said(refused.value)
    for words in (["next", "orders"], ["tag", "create", "orders"], ["init"]):
        assert main([*words, "--store", url]) == 1
    assert "cret" not in capsys.readouterr().err


@pytest.mark.parametrize(("url", "says"), [
    ("sqlite:none.db", "leafid init"),
    pytest.param("postgres://u@127.0.0.1:1/d", "cannot be reached", marks=pytest.mark.engine),
])  # fmt: skip
def test_a_command_says_at_once_that_nothing_is_there(url, says, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["next", "orders", "--store", url, "--timeout", "600"]) == 1
    assert says in capsys.readouterr().err
