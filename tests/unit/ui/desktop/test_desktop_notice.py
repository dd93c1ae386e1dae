"""What is sent to the desktop's service for notices, and what happens where there is none."""

from __future__ import annotations

import asyncio

import pytest

from neodeskpet.ui.desktop.desktop_notice import notice_call, show_notice


def test_a_service_that_reads_marks_is_sent_escaped_text() -> None:
    marked = notice_call("Timer", "<b>Tea</b> & cake", marked=True)
    plain = notice_call("Timer", "<b>Tea</b> & cake", marked=False)
    assert marked.body[3:5] == ("Timer", "&lt;b&gt;Tea&lt;/b&gt; &amp; cake")
    assert plain.body[4] == "<b>Tea</b> & cake"


def test_it_goes_over_the_bus_as_the_service_demands_it() -> None:
    sent = notice_call("计时器", "茶好了", marked=True).serialise(1)
    assert b"susssasa{sv}i" in sent
    assert "茶好了".encode() in sent


@pytest.mark.parametrize("address", ["disabled:", "unix:path=/nowhere/at/all", "nonsense"])
def test_without_a_service_nothing_is_shown(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    assert not asyncio.run(show_notice("Timer", "Tea"))
