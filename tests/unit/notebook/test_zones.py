"""The computer's own zone may change while the app runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from neodeskpet.core.i18n import InvalidValue
from neodeskpet.notebook.appointment import LOCAL_ZONE, Maker, find_zone, local_zone_signature
from neodeskpet.notebook.appointments import AppointmentService
from neodeskpet.notebook.notebook import Notebook

NOW = datetime(2026, 11, 27, 10, tzinfo=UTC).timestamp()


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield patch
    time.tzset()


def test_a_changed_zone_is_noticed(zone: pytest.MonkeyPatch) -> None:
    before = local_zone_signature()
    assert LOCAL_ZONE.utcoffset(datetime(2026, 11, 27)) == timedelta(hours=1)
    zone.setenv("TZ", "Asia/Tokyo")
    assert local_zone_signature() != before
    assert datetime.fromtimestamp(NOW).hour == 19


def test_an_appointment_follows_the_local_clock(zone: pytest.MonkeyPatch) -> None:
    async def work() -> list[float | None]:
        notebook = await Notebook.open(None)
        try:
            book = AppointmentService(notebook, clock=lambda: NOW)
            meant = book.read("every day at 18:00")
            await book.add(
                "Tea", "every day at 18:00", meant, prompt="", zone="", maker=Maker.PERSON
            )
            found = []
            for name in ("Europe/Berlin", "Asia/Tokyo"):
                zone.setenv("TZ", name)
                found.append(await book.run_due())
            return found
        finally:
            await notebook.aclose()

    berlin, tokyo = asyncio.run(work())
    assert berlin == datetime(2026, 11, 27, 17, tzinfo=UTC).timestamp()
    assert tokyo == datetime(2026, 11, 28, 9, tzinfo=UTC).timestamp()


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(InvalidValue, match="There is no time zone"):
        find_zone("Nowhere/Land")
