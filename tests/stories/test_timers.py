"""A timer rings until it is answered in any place; missed timers are listed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from neodeskpet.notebook.notebook import FILE_NAME, Notebook
from neodeskpet.notebook.timers import Repeat, SqliteTimers, Timer
from tests.support.desk import DeskStory
from tests.support.notices import available, notice_service, session_bus
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


def press(person: DeskStory, name: str) -> None:
    buttons = person.desk.companion.bubble.findChildren(QPushButton)
    wanted = [button for button in buttons if button.text() == name and button.isVisible()]
    assert wanted, person.desk.companion.bubble.choices
    QTest.mouseClick(wanted[0], Qt.MouseButton.LeftButton)


async def rings(person: DeskStory, label: str, repeat: Repeat = Repeat.ONCE) -> None:
    desk = person.desk
    await desk.engine.notebook.timers.add(time.time(), label, repeat)
    await person.until(lambda: label in desk.companion.bubble.page_text, "it doesn't ring")
    assert desk.companion.bubble.choices == ["Dismiss", "Snooze 5 min"]


async def answers(person: DeskStory, name: str) -> list[Timer]:
    """Press it in the bubble; return the timers then."""
    book = person.desk.engine.notebook.timers
    changes: list[None] = []
    end = book.subscribe(lambda: changes.append(None))
    press(person, name)
    await person.until(lambda: changes, "the book doesn't change")
    end()
    assert not person.desk.companion.bubble.choices
    return await book.timers()


async def keep(home: Path, *timers: Timer) -> None:
    """As an earlier run left them."""
    notebook = await Notebook.open(home / FILE_NAME)
    for timer in timers:
        await SqliteTimers(notebook).add(timer)
    await notebook.aclose()


def test_a_timer_rings_until_it_is_answered(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.companion.bubble.set_enabled(False)
        await rings(person, "Tea")
        await person.until(lambda: "“Tea” rang" in person.shown(), person.shown())
        assert " ms" not in person.shown()
        desk.companion.presenter.show_notice("Something else.")
        QTest.mouseClick(desk.companion.bubble, Qt.MouseButton.LeftButton)
        QTest.mouseClick(desk.companion.bubble, Qt.MouseButton.RightButton)
        assert desk.companion.bubble.page_text == "Tea", "only an answer ends it"
        before = time.time()
        (again,) = await answers(person, "Snooze 5 min")
        assert again.label == "Tea"
        assert before + 299 <= again.due <= time.time() + 301
        await rings(person, "Soup")
        assert await answers(person, "Dismiss") == [again]

    desk_story(story)


def test_a_repeated_one_waits_for_its_next_time(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        await rings(person, "Stretch", Repeat.DAILY)
        (tomorrow,) = await answers(person, "Dismiss")
        assert (tomorrow.label, tomorrow.repeat) == ("Stretch", Repeat.DAILY)
        assert tomorrow.due > time.time() + 80_000

    desk_story(story)


def test_one_that_is_cancelled_elsewhere_stops_ringing(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await rings(person, "Tea")
        (tea,) = await desk.engine.notebook.timers.timers()
        await desk.engine.notebook.timers.cancel(tea.id)
        await person.until(lambda: not desk.companion.bubble.choices, "it rings on")

    desk_story(story)


def test_a_ring_is_not_sent_to_the_model_and_the_next_reply_is_below(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await rings(person, "Tea")
        await person.until(lambda: "“Tea” rang" in person.shown(), person.shown())
        server.reply(text("Hello."), *end())
        person.type("Hi")
        await person.until(lambda: "Hello." in person.shown(), person.shown())
        await person.idle()
        assert "Tea" not in str(server.requests[-1].body["messages"])

    desk_story(story, server.url)


def test_missed_ones_are_listed_at_the_start(desk_story: Play, tmp_path: Path) -> None:
    now = time.time()
    missed = [Timer("t1", now - 7200, "Tea", now - 7300), Timer("t2", now - 3600, "", now - 7300)]
    asyncio.run(keep(tmp_path, *missed))

    async def unanswered(person: DeskStory) -> None:
        await person.until(lambda: len(person.desk.chat.view.access.messages()) == 2, "no notices")

    desk_story(unanswered)

    async def story(person: DeskStory) -> None:
        desk = person.desk
        await person.until(
            lambda: desk.companion.bubble.choices == ["Dismiss"], "nothing is listed"
        )
        assert "while I was away" in desk.companion.bubble.page_text
        assert "Tea" in desk.companion.bubble.page_text
        assert "Your timer" in desk.companion.bubble.page_text
        await person.until(lambda: len(desk.chat.view.access.messages()) == 2, "no notices")
        await person.until(lambda: "“Your timer” was due" in person.shown(), person.shown())
        await answers(person, "Dismiss")
        async with asyncio.timeout(60):  # they disappear one after the other
            while await desk.engine.notebook.timers.timers():
                await person.idle()
        assert len(desk.chat.view.access.messages()) == 2, "shown again at each start"

    desk_story(story)

    async def next_start(person: DeskStory) -> None:
        assert not person.desk.companion.bubble.choices, "reported once"

    desk_story(next_start)


async def put_off(person: DeskStory) -> list[Timer]:
    """Return the timers, once all are due in some minutes; the bubble may close a moment before."""
    book = person.desk.engine.notebook.timers
    async with asyncio.timeout(60):
        while any(one.due < time.time() + 250 for one in await book.timers()):
            await person.idle()
    return await book.timers()


@pytest.mark.skipif(not available(), reason="dbus-daemon isn't installed")
def test_the_notification_has_the_buttons_too(
    desk_story: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(person: DeskStory) -> None:
        bubble = person.desk.companion.bubble
        with session_bus() as address:
            monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
            async with notice_service(address, "actions", "body") as service:
                await rings(person, "Tea")
                await service.until(lambda: service.shown)
                title, words, buttons = service.shown[0]
                assert (title, words) == ("Neo · Timer", "Tea")
                assert buttons[2:] == ["done", "Dismiss", "later", "Snooze 5 min"]
                await service.press(1, "later")
                await person.until(lambda: not bubble.choices, "it rings on")
                (again,) = await put_off(person)
                await rings(person, "Soup")
                await service.until(lambda: len(service.shown) == 2)
                await service.press(2, "done")
                await person.until(lambda: not bubble.choices, "it rings on")
                await rings(person, "Bus")
                await service.until(lambda: len(service.shown) == 3)
                assert await answers(person, "Dismiss") == [again]
                await service.until(lambda: 3 in service.closed)

    desk_story(story)
