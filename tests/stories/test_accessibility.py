"""Screen readers and the keyboard: the conversation as a tree, names for everything, Tab reaches
everything.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QTextEdit,
    QWidget,
)

from tests.support.desk import DeskStory
from tests.support.reader import focused
from tests.support.replies import calling, end
from tests.support.sseserver import RESET, ScriptedServer, text

Play = Callable[..., None]
Kind = QAccessible.Text


def face(thing: QWidget) -> QAccessibleInterface:
    found = QAccessible.queryAccessibleInterface(thing)
    assert found is not None
    return found


def children(of: QAccessibleInterface) -> list[QAccessibleInterface]:
    return [of.child(number) for number in range(of.childCount())]


def name(of: QAccessibleInterface) -> str:
    return of.text(Kind.Name)


async def talk(person: DeskStory, server: ScriptedServer) -> None:
    """A conversation with a card and a notice."""
    sums = calling("native", ("calc.evaluate", {"expression": "6*7"}))
    server.reply(text("Let me see."), *sums, *end("tool_calls"))
    server.reply(text("It is 42, I"), RESET)
    person.type("what is 6*7?")
    await person.until(lambda: "stopped before" in person.shown())
    await person.idle()


def test_the_conversation_is_a_list_of_messages(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        await talk(person, server)
        view = face(person.desk.chat.view)
        assert view.role() is QAccessible.Role.List
        assert name(view) == "Conversation"
        mine, reply = children(view)
        assert mine.role() is QAccessible.Role.ListItem
        assert name(mine) == "You: what is 6*7?"
        assert name(reply).startswith("Neo: Let me see.")
        assert reply.parent().object() is person.desk.chat.view
        whole = reply.text(Kind.Value)
        for words in ("Let me see.", "Calculate, 6*7, = 42", "It is 42, I", "stopped before"):
            assert words in whole
        spoken = reply.textInterface()
        assert spoken.text(0, spoken.characterCount()) == whole
        assert not reply.rect().isEmpty()

        parts = children(reply)
        assert [part.role() for part in parts] == [QAccessible.Role.Button] * len(parts)
        assert [name(part) for part in parts] == [
            "Calculate, 6*7, = 42",
            "Continue",
            "Retry",
            "Copy",
            "Retry",
            "What happened in this turn",
            "More…",
        ]
        assert parts[0].state().expandable
        parts[0].actionInterface().doAction("Press")
        assert "Arguments" in reply.text(Kind.Value)
        assert children(reply)[0].state().expanded

        server.reply(text("am back."), *end())
        (button,) = [part for part in children(reply) if name(part) == "Continue"]
        button.actionInterface().doAction("Press")
        await person.until(lambda: "am back." in person.shown())
        await person.idle()
        assert "am back." in reply.text(Kind.Value)
        assert len(children(view)) == 2

    desk_story(story, server.url)


def test_the_open_message_reports_that_it_is_busy(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        reply = server.reply(text("One moment"), *end(), hold=True)
        reply.release()
        person.type("hello")
        await person.until(lambda: "One moment" in person.shown())
        newest = children(face(person.desk.chat.view))[-1]
        assert newest.state().busy
        reply.release(9)
        await person.idle()
        assert not children(face(person.desk.chat.view))[-1].state().busy

    desk_story(story, server.url)


def test_announcements(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        said: list[str] = []
        person.desk.chat.view.access.announced.connect(said.append)
        server.reply(*calling("native", ("note.add", {"text": "x"})), *end())
        server.reply(text("Noted."), *end())
        person.type("note it")
        await person.until(lambda: "Allow once" in person.buttons())
        assert any("Add a note" in words for words in said)
        person.press_in_message("Allow once")
        await person.until(lambda: any("Noted." in words for words in said), str(said))
        await person.idle()

    QAccessible.setActive(True)
    try:
        desk_story(story, server.url, settings={"mode": {"ask_before_every_change": True}})
    finally:
        QAccessible.setActive(False)


def nameless(window: QWidget) -> list[str]:
    """Return what can be seen and used there, but has no name; except for Qt's own inner parts."""
    kinds = (QAbstractButton, QComboBox, QLineEdit, QTextEdit, QAbstractSlider)
    return [
        f"{window.windowTitle()}: {type(part).__name__} in {type(part.parentWidget()).__name__}"
        for part in window.findChildren(QWidget)
        if isinstance(part, kinds)
        and part.isVisible()
        and not isinstance(part, QScrollBar)
        and not isinstance(part.parentWidget(), QComboBox | QLineEdit)
        and not name(face(part)).strip()
    ]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_everything_has_a_name(desk_story: Play, language: str) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.chat.window.show_sidebar(True)
        assert nameless(desk.chat.window) == []
        desk.show_chat()
        await person.until(desk.first_run.guide.isVisible)
        assert nameless(desk.chat.window) == []
        for section in desk.side_windows.settings.pages:
            desk.side_windows.settings.present(section)
            assert nameless(desk.side_windows.settings) == []
        shown = [one for one in desk.menu.menu.actions.values() if one.isVisible()]
        assert all(action.text() for action in shown)
        for window in (desk.chat.window, desk.side_windows.settings):
            assert "NeoDeskPet" in window.windowTitle()
        assert desk.companion.pet.title()  # the figure's name

    desk_story(story, settings={"appearance": {"language": language}})


def test_tab_reaches_everything_in_the_chat(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        await talk(person, server)
        window = person.desk.chat.window
        window.activateWindow()
        window.composer.field.setFocus()
        await person.until(lambda: window.composer.field.hasFocus(), "the window isn't active")
        reached: list[QWidget] = []
        pressed: list[str] = []
        for _ in range(40):
            focus = QApplication.focusWidget()
            assert focus is not None
            QTest.keyClick(focus, Qt.Key.Key_Tab)
            focus = QApplication.focusWidget()
            assert focus is not None
            if focus not in reached:
                reached.append(focus)
            if focus is person.desk.chat.view:
                pressed.append(focused(person.desk.chat.view))
            if focus is window.composer.field:
                break
        assert reached[-1] is window.composer.field
        header = window.header
        for part in (header.sidebar, header.model_button, header.more, person.desk.chat.view):
            assert part in reached, part
        assert "Calculate, 6*7, = 42" in pressed
        assert "Continue" in pressed

    desk_story(story, server.url)


def test_a_notice_by_keyboard_alone(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        await talk(person, server)
        view = person.desk.chat.view
        person.desk.chat.window.activateWindow()
        view.setFocus(Qt.FocusReason.TabFocusReason)
        await person.until(lambda: view.hasFocus(), "the window isn't active")
        for _ in range(20):
            if focused(view) == "Continue":
                break
            QTest.keyClick(view, Qt.Key.Key_Down)
        server.reply(text("am back."), *end())
        QTest.keyClick(view, Qt.Key.Key_Return)
        await person.until(lambda: "am back." in person.shown())
        await person.idle()

    desk_story(story, server.url)


def wanted(window: QWidget) -> set[QWidget]:
    """Return what can be used there: Tab must reach it."""
    return {
        part
        for part in window.findChildren(QWidget)
        if part.isVisible()
        and part.isEnabled()
        and part.focusPolicy() & Qt.FocusPolicy.TabFocus
        and part.focusProxy() is None
        and part.window() is window
        # The arrows move within a group
        and not (isinstance(part, QAbstractButton) and part.group() and not part.isChecked())
    }


def test_tab_reaches_everything_in_every_window(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        missed: list[str] = []
        for entry in desk.windows:
            desk.windows.present(entry.key)
            window = desk.windows[entry.key]
            window.activateWindow()
            await person.until(window.isActiveWindow, f"{entry.key} isn't active")
            reached: set[QWidget] = set()
            for _ in range(len(wanted(window)) + 12):
                focus = QApplication.focusWidget()
                if focus is not None:
                    reached.add(focus)
                QTest.keyClick(focus or window, Qt.Key.Key_Tab)
            missed += [
                f"{entry.key}: {type(part).__name__} {part.accessibleName()}"
                for part in wanted(window) - reached
            ]
            window.close()
        assert missed == []

    desk_story(story)
