"""Notifications of the desktop: what is sent to the service, what it answers, and a desktop without
one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from neodeskpet.ui.desktop.desktop_notifications import (
    DEFAULT_ACTION,
    DesktopNotification,
    notification_call,
    show_notification,
)
from tests.support.notices import NoticeService, available, notice_service, session_bus

TEA = DesktopNotification(
    "Timer", "<b>Tea</b> & cake", (("done", "Done"), ("later", "Snooze 5 min"))
)
BUTTONS = [DEFAULT_ACTION, "Timer", "done", "Done", "later", "Snooze 5 min"]

needs_bus = pytest.mark.skipif(not available(), reason="dbus-daemon isn't installed")


def test_a_service_that_supports_markup_is_sent_escaped_text() -> None:
    marked = notification_call(TEA, marked=True, actions=True)
    plain = notification_call(TEA, marked=False, actions=False)
    assert marked.body[3:6] == ("Timer", "&lt;b&gt;Tea&lt;/b&gt; &amp; cake", BUTTONS)
    assert plain.body[4:6] == ("<b>Tea</b> & cake", [])


def test_the_message_has_the_form_that_the_service_requires() -> None:
    sent = notification_call(
        DesktopNotification("计时器", "茶好了"), marked=True, actions=True
    ).serialise(1)
    assert b"susssasa{sv}i" in sent
    assert "茶好了".encode() in sent


@pytest.mark.parametrize("address", ["disabled:", "unix:path=/nowhere/at/all", "nonsense"])
def test_without_a_service_nothing_is_shown(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    assert asyncio.run(show_notification(TEA)) is None


def on_bus(
    monkeypatch: pytest.MonkeyPatch,
    story: Callable[[NoticeService, asyncio.Future[str | None]], Awaitable[None]],
    *able: str,
    notice: DesktopNotification = TEA,
) -> None:
    """Show `notice` on a bus of the test, and run the story of its service."""

    async def scene(address: str) -> None:
        async with notice_service(address, *able) as service:
            asking = asyncio.ensure_future(show_notification(notice))  # noqa: TID251 - awaited below
            async with asyncio.timeout(20):
                await service.until(lambda: service.shown)
                await story(service, asking)
                with suppress(asyncio.CancelledError):
                    await asking

    with session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        asyncio.run(scene(address))


@needs_bus
@pytest.mark.parametrize("choice", ["done", "later", DEFAULT_ACTION])
def test_a_button_is_an_answer(monkeypatch: pytest.MonkeyPatch, choice: str) -> None:
    async def story(service: NoticeService, asking: asyncio.Future[str | None]) -> None:
        assert service.shown == [("Timer", "&lt;b&gt;Tea&lt;/b&gt; &amp; cake", BUTTONS)]
        await service.press(7, "later")  # of another program's notification
        await service.tell("ActionInvoked", "s", ("nonsense",))
        await service.press(1, choice)
        assert await asking == choice

    on_bus(monkeypatch, story, "actions", "body-markup")


@needs_bus
def test_only_signals_of_the_service_count(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(service: NoticeService, asking: asyncio.Future[str | None]) -> None:
        async with notice_service(_address(), "actions") as stranger:
            await stranger.press(1, "done")
        await service.press(1, "later")
        assert await asking == "later"

    on_bus(monkeypatch, story, "actions")


def _address() -> str:

    return os.environ["DBUS_SESSION_BUS_ADDRESS"]


@needs_bus
def test_a_dismissed_one_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(service: NoticeService, asking: asyncio.Future[str | None]) -> None:
        await service.dismiss(1)
        assert await asking == ""

    on_bus(monkeypatch, story, "actions")


@needs_bus
@pytest.mark.parametrize(
    ("able", "notice"), [(("body",), TEA), (("actions",), DesktopNotification("Timer", "Tea"))]
)
def test_without_buttons_nothing_is_awaited(
    monkeypatch: pytest.MonkeyPatch, able: tuple[str, ...], notice: DesktopNotification
) -> None:
    async def story(service: NoticeService, asking: asyncio.Future[str | None]) -> None:
        assert await asking == ""
        assert service.shown[0][2] == []
        assert service.closed == []

    on_bus(monkeypatch, story, *able, notice=notice)


@needs_bus
def test_a_question_answered_elsewhere_is_withdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(service: NoticeService, asking: asyncio.Future[str | None]) -> None:
        asking.cancel()
        await service.until(lambda: service.closed)
        assert service.closed == [1]

    on_bus(monkeypatch, story, "actions")
