"""What new users want to do first takes at most four clicks, or the keyboard alone.

The count begins in the settings window, or with the question of a call; typing and pasting are no
clicks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget

from neodeskpet.core.grant_scope import Grant
from neodeskpet.ui.settings.field_controls import SwitchControl
from neodeskpet.ui.settings.proactive_page import ProactivePage
from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.settings_groups import GROUPS
from neodeskpet.ui.settings.tool_rows import GrantRow
from tests.support.desk import DeskStory
from tests.support.reader import focused
from tests.support.replies import calling, end
from tests.support.sseserver import Reply, Request, ScriptedServer, text

Play = Callable[..., None]
MOST_CLICKS = 4
MOST_TABS = 60


class Hand:
    """Uses the settings with the mouse, or with the keyboard alone, and counts the clicks."""

    def __init__(self, person: DeskStory, start: str, *, keyboard: bool) -> None:
        self._person = person
        self._keyboard = keyboard
        self.window = person.desk.side_windows.settings
        self.window.present(start)
        self.clicks = 0

    async def open_group(self, name: str) -> None:
        row = [group.name for group in GROUPS].index(name)
        if self._keyboard:
            self.window.activateWindow()
            await self._person.until(self.window.isActiveWindow, "it isn't active")
            key = Qt.Key(Qt.Key.Key_1.value + row)
            QTest.keyClick(self.window, key, Qt.KeyboardModifier.ControlModifier)
        else:
            self.clicks += 1
            groups = self.window.navigation
            place = groups.visualItemRect(groups.item(row)).center()
            QTest.mouseClick(groups.viewport(), Qt.MouseButton.LeftButton, pos=place)
        await self._person.until(lambda: self.window.group().name == name, "it didn't open")

    async def find(self, words: str) -> None:
        self.window.activateWindow()
        await self._person.until(self.window.isActiveWindow, "it isn't active")
        QTest.keyClick(self.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(self.window.search, words)

    async def press(self, widget: QWidget) -> None:
        await self._person.until(widget.isVisible, "it isn't shown")
        if not self._keyboard:
            self.clicks += 1
            self._person.click(widget)
            return
        for _ in range(MOST_TABS):
            focused = self.window.focusWidget()
            if focused is widget:
                QTest.keyClick(widget, Qt.Key.Key_Space)
                return
            QTest.keyClick(focused or self.window, Qt.Key.Key_Tab)
        raise AssertionError("the Tab key doesn't reach it")


@pytest.fixture(params=["mouse", "keyboard"])
def keyboard(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "keyboard")


@pytest.fixture
def other() -> Iterator[ScriptedServer]:
    def answer(_request: Request) -> Reply:
        return Reply([text("one "), text("two"), *end()])

    with ScriptedServer() as running:
        running.fallback = answer
        running.pages["/v1/models"] = {"data": [{"id": "a-model"}]}
        yield running


def test_connect_a_service(desk_story: Play, other: ScriptedServer, keyboard: bool) -> None:
    async def story(person: DeskStory) -> None:
        hand = Hand(person, "you", keyboard=keyboard)
        await hand.open_group("models")
        page = hand.window.pages["service"]
        assert isinstance(page, ServicesPage)
        await hand.press(page.add.button)
        menu = page.add.menu
        await person.until(menu.isVisible, "the menu didn't open")
        action = next(one for one in menu.actions() if one.data() == "custom")
        if keyboard:
            for _ in menu.actions():
                if menu.activeAction() is not action:
                    QTest.keyClick(menu, Qt.Key.Key_Down)
            QTest.keyClick(menu, Qt.Key.Key_Return)
        else:
            hand.clicks += 1
            place = menu.actionGeometry(action).center()
            QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place)
        await person.until(page.add.address.isVisible, "no address is asked for")
        QTest.keyClicks(page.add.address, other.url)
        QTest.keyClick(page.add.address, Qt.Key.Key_Return)
        editor = page.services.editor
        assert editor is not None
        await person.until(lambda: editor.model.value() == "a-model", "no model was chosen")
        await person.until(lambda: editor.trial.text.text().startswith("Works"), "not tested")
        assert [one.id for one in person.desk.chat.catalogue.catalog.models] == ["a-model"]
        assert hand.clicks <= MOST_CLICKS

    desk_story(story)


def test_make_the_figure_calmer(desk_story: Play, keyboard: bool) -> None:
    async def story(person: DeskStory) -> None:
        hand = Hand(person, "models", keyboard=keyboard)
        page = hand.window.pages["initiative"]
        assert isinstance(page, ProactivePage)
        choice = page.liveliness.choice
        if keyboard:
            await hand.find("liveliness")
            await person.until(choice.isVisible, "it isn't found")
            for _ in range(MOST_TABS):
                if choice.isAncestorOf(hand.window.focusWidget()):
                    break
                QTest.keyClick(hand.window.focusWidget(), Qt.Key.Key_Tab)
            for _ in choice.findChildren(QAbstractButton):
                QTest.keyClick(hand.window.focusWidget(), Qt.Key.Key_Left)
            QTest.keyClick(hand.window.focusWidget(), Qt.Key.Key_Space)
        else:
            await hand.open_group("you")
            await hand.press(choice.button("calm"))
        assert not person.desk.engine.settings.settings.companion.welcome_back
        assert hand.clicks <= MOST_CLICKS

    desk_story(story)


def test_find_the_web_search(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        hand = Hand(person, "you", keyboard=True)
        await hand.find("web search")
        window = hand.window
        row = window.pages["web"].fields["search"]
        await person.until(row.isVisible, "it isn't found")
        assert not window.pages["appearance"].isVisible()

    desk_story(story)


def test_take_back_an_always(desk_story: Play, keyboard: bool) -> None:
    async def story(person: DeskStory) -> None:
        settings = person.desk.engine.settings
        settings.change("mode", "always_allowed", (Grant("file.write"),))
        hand = Hand(person, "you", keyboard=keyboard)
        await hand.open_group("tools")
        page = hand.window.pages["mode"]
        await person.until(lambda: any(isinstance(row, GrantRow) for row in page.rows))
        (grant,) = (row for row in page.rows if isinstance(row, GrantRow))
        await hand.press(grant.button)
        assert settings.settings.mode.always_allowed == ()
        assert hand.clicks <= MOST_CLICKS

    desk_story(story)


def test_switch_the_memory_off(desk_story: Play, keyboard: bool) -> None:
    async def story(person: DeskStory) -> None:
        hand = Hand(person, "you", keyboard=keyboard)
        await hand.open_group("memory")
        control = hand.window.pages["memory"].fields["recall"].control
        assert isinstance(control, SwitchControl)
        await hand.press(control.switch)
        assert not person.desk.engine.settings.settings.memory.recall
        assert hand.clicks <= MOST_CLICKS

    desk_story(story)


QUESTION = "Delete the note “PIN of the bike lock”?"


async def ask_to_delete(person: DeskStory, server: ScriptedServer) -> None:
    """Let the model ask whether it may delete a note."""
    note = await person.desk.engine.notebook.notes.add("PIN of the bike lock", [])
    server.reply(*calling("native", ("note.delete", {"id": note.id})), *end())
    server.reply(text("It is gone."), *end())
    person.type("delete the note with the PIN")


async def assert_deleted(person: DeskStory) -> None:
    await person.until(lambda: "It is gone." in person.shown(), person.shown())
    await person.idle()
    assert list(await person.desk.engine.notebook.notes.search((), 10)) == []


def test_delete_a_note_through_the_model(
    desk_story: Play, server: ScriptedServer, keyboard: bool
) -> None:
    async def story(person: DeskStory) -> None:
        await ask_to_delete(person, server)
        await person.until(lambda: QUESTION in person.shown(), person.shown())
        field = person.desk.chat.window.composer.field
        clicks = 0
        if keyboard:
            QTest.keyClick(field, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
            view = person.desk.chat.view
            QTest.keyClick(view, Qt.Key.Key_Escape)  # it leaves the question open
            assert QUESTION in person.shown()
            QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        else:
            clicks += 1
            person.press_in_message("Delete")
        await assert_deleted(person)
        assert clicks <= MOST_CLICKS

    desk_story(story, server.url)


def test_answer_a_question_from_the_bubble(
    desk_story: Play, server: ScriptedServer, keyboard: bool
) -> None:
    """By keyboard the hot key of the chat leads to the question."""

    async def story(person: DeskStory) -> None:
        bubble, window = person.desk.companion.bubble, person.desk.chat.window
        await ask_to_delete(person, server)
        window.hide()
        answers = ["Delete", "Keep it", "Chat"]
        await person.until(lambda: bubble.choices == answers, "the bubble doesn't ask")
        clicks = 0
        if keyboard:
            person.desk.show_chat()
            await person.until(window.isActiveWindow, "it isn't active")
            field = window.composer.field
            QTest.keyClick(field, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
            view = person.desk.chat.view
            assert focused(view) == "Keep it"
            QTest.keyClick(view, Qt.Key.Key_Backtab)
            assert focused(view) == "Delete"
            QTest.keyClick(view, Qt.Key.Key_Return)
        else:
            clicks += 1
            person.click(person.button("Delete", bubble))
        await assert_deleted(person)
        assert bubble.choices == []
        assert clicks <= MOST_CLICKS

    desk_story(story, server.url)
