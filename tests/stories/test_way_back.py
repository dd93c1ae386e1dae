"""A companion that is hidden or lets clicks through can always be recovered, also without a
tray.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from neodeskpet.ui.local_server import LocalServer, activate_running_instance
from tests.support.desk import DeskStory

Play = Callable[..., None]
THROUGH = {"companion": {"click_through": True}}


def entry(person: DeskStory, text: str) -> QAction:
    """The entry of the menu ⋯ of the chat."""
    actions = person.desk.chat.window.header.menu.actions()
    found = [action for action in actions if action.text() == text]
    assert len(found) == 1, [action.text() for action in actions]
    return found[0]


async def second_start(person: DeskStory) -> None:
    home = person.desk.engine.storage.home
    door = LocalServer(home)
    person.desk.set_local_server(door)
    assert await asyncio.to_thread(activate_running_instance, home)


def press(person: DeskStory, name: str) -> None:
    buttons = person.desk.companion.bubble.findChildren(QPushButton)
    wanted = next(button for button in buttons if button.text() == name)
    QTest.mouseClick(wanted, Qt.MouseButton.LeftButton)


def test_a_second_start_shows_it_and_offers_to_accept_clicks(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await person.until(lambda: "go through me" in desk.companion.bubble.page_text)
        press(person, "Keep it on")
        assert not desk.companion.bubble.is_speaking
        desk.menu.menu.actions["visible"].trigger()
        assert not desk.companion.pet.isVisible()
        await second_start(person)
        await person.until(desk.companion.pet.isVisible, "it stays hidden")
        assert desk.menu.menu.actions["visible"].text() == "Hide Neo", (
            "the menu shows the real state"
        )
        await person.until(lambda: "Turn off click-through" in desk.companion.bubble.choices)
        assert not desk.companion.bubble.shows_question, "it is a notice, which needs no answer"
        press(person, "Turn off click-through")
        assert not desk.engine.settings.settings.companion.click_through
        assert not desk.menu.menu.actions["click_through"].isChecked()
        assert not desk.companion.bubble.choices

    desk_story(story, pet=True, settings=THROUGH)


def test_a_second_start_beside_the_shown_figure_opens_the_chat(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.chat.window.hide()
        await person.until(desk.companion.pet.isVisible, "there is no figure")
        await second_start(person)
        await person.until(desk.chat.window.isVisible, "there is no way in without a mouse")

    desk_story(story, pet=True)


def test_the_menu_of_the_chat_has_both_and_says_how_to_undo_them(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        entry(person, "Click-through").trigger()
        assert desk.engine.settings.settings.companion.click_through
        assert "menu ⋯" in desk.companion.bubble.page_text
        entry(person, "Click-through").trigger()
        assert not desk.engine.settings.settings.companion.click_through
        desk.companion.bubble.clear()
        entry(person, "Hide Neo").trigger()
        assert not desk.companion.pet.isVisible()
        assert "I am hidden" in desk.companion.bubble.page_text
        entry(person, "Show Neo").trigger()
        assert desk.companion.pet.isVisible()

    desk_story(story, pet=True)
