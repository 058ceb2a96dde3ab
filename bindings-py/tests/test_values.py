"""Layouts, parts and text forms, as Python values."""

from __future__ import annotations

import copy
import pickle
from datetime import datetime, timedelta, timezone

import pytest

import leafid
from leafid import Layout

AT = datetime(2026, 5, 17, 12, 30, 15, 123_000, timezone.utc)


def test_layouts_are_values() -> None:
    again = Layout(
        epoch_ms=1288834974657, tick_ms=1, time_bits=41, worker_bits=10, sequence_bits=12
    )
    assert again == Layout.leaf and hash(again) == hash(Layout.leaf) != hash(Layout.edge)
    assert pickle.loads(pickle.dumps(Layout.edge)) == copy.deepcopy(Layout.edge) == Layout.edge
    assert "worker_bits=16" in repr(Layout.long)
    assert Layout.js53.last_id(Layout.js53.last_ms) < 2**53


@pytest.mark.parametrize("ms", [0, 1, 7, 123, 501, 999])
def test_datetimes_are_moments(ms) -> None:
    at = AT.replace(microsecond=ms * 1_000 + 999)
    id = Layout.leaf.compose(at, 7, 9)
    parts = leafid.decode(id)
    assert parts.time == AT.replace(microsecond=ms * 1_000)
    assert (parts.worker, parts.sequence) == (7, 9)
    elsewhere = at.astimezone(timezone(timedelta(hours=-9)))
    assert Layout.leaf.first_id(elsewhere) < id < Layout.leaf.last_id(at)


def test_text_forms() -> None:
    id = 7_222_222_222_222_222_222
    assert leafid.base32(id) == "68EKWV2E7SRWE" and leafid.parse_base32("68EKWV2E7SRWE") == id
    assert leafid.parse_decimal(leafid.decimal(id)) == id
