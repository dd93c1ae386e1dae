"""Sets a time zone in which it is noon, so that no day, month or year ends during a test."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest


def noon_zone(now: datetime) -> str:
    """A `TZ` (POSIX) in which `now` lies between twelve and one."""
    east = 12 - now.astimezone(UTC).hour
    return f"NOON{-east:+d}"


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set the local clock time of this process to noon."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", noon_zone(datetime.now(UTC)))
        time.tzset()
        yield
    time.tzset()
