"""`leafid.django` in a real project, with migrations of `makemigrations` and rows of the ORM."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SETTINGS = """
SECRET_KEY = "none"
INSTALLED_APPS = ["shop"]
USE_TZ = True
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "shop.sqlite3",
                         "OPTIONS": {"timeout": 20}}}
"""
MODELS = """
from django.db import models
from leafid.django import IdField, NextId

class Order(models.Model):
    id = IdField(tag="orders", primary_key=True)
    event = models.BigIntegerField(default=NextId(namespace="default"))
    name = models.CharField(max_length=20)

class Line(models.Model):
    number = IdField(tag="lines", unique=True)
    order = models.ForeignKey(Order, on_delete=models.CASCADE)
"""
SETUP = """
import django; django.setup()
from shop.models import Line, Order
"""
MIGRATE = """
from django.core.management import call_command
call_command("makemigrations", "shop", verbosity=0)
call_command("migrate", verbosity=0)
"""


@pytest.fixture
def project(tmp_path, server):
    server.create_tag("orders")
    server.create_tag("lines")
    (tmp_path / "settings.py").write_text(SETTINGS + f"LEAFID_STORE = {server.url!r}\n")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/__init__.py").touch()
    (tmp_path / "shop/models.py").write_text(MODELS)
    return Project(tmp_path)


class Project:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.variables = {**os.environ, "DJANGO_SETTINGS_MODULE": "settings", "PYTHONPATH": str(folder)}
        self.variables.pop("LEAFID_STORE", None)

    def run(self, text: str) -> str:
        return self.python("-c", SETUP + textwrap.dedent(text))

    def python(self, *words: str, ends: int = 0) -> str:
        command, how = [sys.executable, *words], {"cwd": self.folder, "env": self.variables, "timeout": 300}
        done = subprocess.run(command, capture_output=True, text=True, **how)
        assert done.returncode == ends, done.stdout + done.stderr
        return done.stdout + done.stderr


def test_migrations_and_rows(project) -> None:
    project.python("-m", "django", "makemigrations", "shop")
    written = (project.folder / "shop/migrations/0001_initial.py").read_text()
    assert "leafid.django.IdField(editable=False, primary_key=True, serialize=False, tag='orders')" in written
    assert "default=leafid.django.NextId(namespace='default')" in written
    assert "leafid.django.IdField(editable=False, tag='lines', unique=True)" in written
    project.python("-m", "django", "makemigrations", "--check", "shop")
    project.python("-m", "django", "migrate")
    said = project.run(
        """
        from django.db import connection
        one = Order(name="one")
        print(one.pk, Line().number)
        with connection.execute_wrapper(lambda run, sql, *rest: (print(sql[:6]), run(sql, *rest))[1]):
            one.save()
        Order.objects.bulk_create([Order(name=str(n)) for n in range(50)])
        order = Order.objects.create(name="last")
        line = order.line_set.create()
        loaded = Order.objects.get(pk=order.pk)
        loaded.name = "again"
        loaded.save()
        print(order.pk, line.number, line.pk, Order.objects.count(), loaded.event == order.event)
        print(len(set(Order.objects.values_list("event", flat=True))))
        """
    )
    assert said.split() == ["None", "None", "INSERT", "52", "1", "1", "52", "True", "52"], "no UPDATE is tried"


def test_forms_and_objects_draw_nothing(project) -> None:
    """An empty form, as each GET of a page makes one, waits for no store and uses no ID."""
    project.run(MIGRATE)
    said = project.run(
        """
        from django.forms import modelform_factory
        from django.test import override_settings
        form = modelform_factory(Line, fields=["order"])
        with override_settings(LEAFID_STORE="http://192.0.2.1:1"):
            print(form().instance.number, Line().number)
        order = Order.objects.create(name="one")
        line = form({"order": order.pk}).save()
        again = Line(number=9, order=order)
        again.save()
        print(order.pk, line.number, again.number)
        """
    )
    assert said.split() == ["None", "None", "1", "1", "9"]


def test_in_an_event_loop(project) -> None:
    """The field draws on saving, in Django's own thread."""
    project.run(MIGRATE)
    said = project.run(
        """
        import asyncio, os
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = ""
        from leafid.django import generator
        async def main():
            await generator(namespace="default").aready(1)
            order = Order(name="one")
            print(order.pk)
            await order.asave()
            print(order.pk)
            made = await Order.objects.acreate(name="two")
            await Order.objects.abulk_create([Order(name="three")])
            line = Line(order=order)
            print(made.pk, line.number)
            await line.asave()
            print(line.number, await Order.objects.acount())
        asyncio.run(main())
        """
    )
    assert said.split() == ["None", "1", "2", "None", "1", "3"]


def test_a_field_of_nothing_is_an_error(project) -> None:
    text = MODELS.replace('IdField(tag="lines", unique=True)', "IdField(unique=True)")
    (project.folder / "shop/models.py").write_text(text)
    said = project.python("-m", "django", "check", ends=1)
    assert "(leafid.E001)" in said and "an ID is of a tag or of a namespace" in said
    with_both = MODELS.replace('NextId(namespace="default")', 'NextId(namespace="a", tag="b")')
    (project.folder / "shop/models.py").write_text(with_both)
    assert "REQUEST_INVALID" in project.python(
        "-c",
        "import django, leafid\ntry: django.setup()\nexcept leafid.LeafidError as e: print(e.code)",
    )
