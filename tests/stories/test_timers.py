"""A timer rings until it is answered, wherever the person looks; those missed are listed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from neodeskpet.timers.book import Timer
from neodeskpet.timers.file import TimerFile
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


def press(person: DeskStory, name: str) -> None:
    buttons = person.desk.bubble.findChildren(QPushButton)
    wanted = [button for button in buttons if button.text() == name and button.isVisible()]
    assert wanted, person.desk.bubble.choices
    QTest.mouseClick(wanted[0], Qt.MouseButton.LeftButton)


async def rings(person: DeskStory, label: str) -> None:
    desk = person.desk
    desk.engine.timers.set(time.time(), label)
    await person.until(lambda: label in desk.bubble.page_text, "it doesn't ring")
    assert desk.bubble.choices == ["Done", "Snooze 5 min"]


def test_a_timer_rings_until_it_is_answered(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, book = person.desk, person.desk.engine.timers
        desk.bubble.set_wanted(False)
        await rings(person, "Tea")
        await person.until(lambda: "“Tea” rang" in person.shown(), person.shown())
        desk.companion.say("Something else.")
        QTest.mouseClick(desk.bubble, Qt.MouseButton.LeftButton)
        QTest.mouseClick(desk.bubble, Qt.MouseButton.RightButton)
        assert desk.bubble.page_text == "Tea", "only an answer ends it"
        before = time.time()
        press(person, "Snooze 5 min")
        await person.until(lambda: book.timers, "it isn't set again")
        (again,) = book.timers
        assert again.label == "Tea"
        assert 299 <= again.due - before <= 301
        assert not desk.bubble.choices
        await rings(person, "Soup")
        press(person, "Done")
        assert not desk.bubble.choices
        assert book.timers == [again]

    desk_story(story)


def test_the_models_are_not_told_and_the_next_reply_stands_below(
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
    TimerFile(tmp_path / "timers.json").save(missed)

    async def story(person: DeskStory) -> None:
        desk = person.desk
        await person.until(lambda: desk.bubble.choices == ["Done"], "nothing is listed")
        assert "while I was away" in desk.bubble.page_text
        assert "Tea" in desk.bubble.page_text
        assert "Your timer" in desk.bubble.page_text
        await person.until(lambda: len(desk.view.column.heads) == 2, "no notices")
        await person.until(lambda: "“Your timer” was due" in person.shown(), person.shown())
        press(person, "Done")
        assert not desk.bubble.choices

    desk_story(story)

    async def next_start(person: DeskStory) -> None:
        assert not person.desk.bubble.choices, "told once"

    desk_story(next_start)
