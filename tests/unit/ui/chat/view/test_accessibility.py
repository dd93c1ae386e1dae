"""The accessibility tree: messages, their texts, cards that open, buttons."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAccessibleTextInterface
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import MessageState, Notice, ShownPath, Text, ToolStatus
from neodeskpet.core.errors import Action
from neodeskpet.core.turn.turn_events import BlockChanged, TurnEnded
from neodeskpet.ui.chat.view.accessibility import MessageNode, RegionNode, create_interface
from neodeskpet.ui.chat.view.chat_view import ChatView
from tests.support.menus import open_menu
from tests.unit.ui.chat.doubles import (
    NOW,
    call,
    companion,
    entry,
    open_view,
    person,
    said,
    stream,
)


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def face(view: ChatView) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(view)


def name(of: QAccessibleInterface) -> str:
    return of.text(QAccessible.Text.Name)


def child(of: QAccessibleInterface, wanted: str) -> QAccessibleInterface:
    return next(of.child(n) for n in range(of.childCount()) if name(of.child(n)).startswith(wanted))


def test_messages_are_the_children_of_the_list(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello there"), said("a", "Hi **you**\n\n- one"))
    top = face(view)
    assert top.role() == QAccessible.Role.List
    assert [name(top.child(n)) for n in range(top.childCount())] == [
        "You: Hello there",
        "Companion: Hi you • one 1,284 tokens · 5.6 s",
    ]
    second = top.child(1)
    assert second.role() == QAccessible.Role.ListItem
    assert second.text(QAccessible.Text.Value).startswith("Hi you\n• one")
    assert top.indexOfChild(second) == 1
    assert second.parent().role() == QAccessible.Role.List
    assert top.child(7) is None


def test_a_messages_text_can_be_read_in_parts(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello there"))
    text = face(view).child(0).textInterface()
    assert isinstance(text, QAccessibleTextInterface)
    assert text.characterCount() == 11
    assert text.text(6, 11) == "there"
    assert (text.cursorPosition(), text.selectionCount()) == (0, 0)
    text.scrollToSubstring(0, 5)


def test_cards_report_their_state_and_open(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0), Text(1, 0, "Done.")))
    message = face(view).child(0)
    card = child(message, "web.search, rain, It rains.")
    assert card.role() == QAccessible.Role.Button
    assert card.state().expandable
    assert card.state().collapsed
    card.actionInterface().doAction(card.actionInterface().actionNames()[0])
    assert child(message, "web.search").state().expanded
    assert message.indexOfChild(card) == 0
    assert card.childCount() == 0
    assert card.indexOfChild(message) == -1


def test_a_button_with_a_menu_says_so(qtbot: QtBot) -> None:
    asking = companion("a", call(0, ToolStatus.ASKING), state=MessageState.RUNNING)
    view = open_view(qtbot, asking)
    button = child(face(view).child(0), "More answers")
    assert button.role() == QAccessible.Role.ButtonMenu
    assert button.state().hasPopup
    button.actionInterface().doAction("Press")
    open_menu().close()


def test_buttons_can_be_pressed(qtbot: QtBot) -> None:
    notice = Notice(0, 0, "stream_broken", actions=(Action.CONTINUE,))
    view = open_view(qtbot, companion("a", notice))
    button = child(face(view).child(0), "Continue")
    with qtbot.waitSignal(view.action_requested):
        button.actionInterface().doAction("Press")
    assert button.actionInterface().keyBindingsForAction("Press") == ["Return"]


def test_positions_on_the_screen(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"), companion("a", call(0)))
    top = face(view)
    message = top.child(1)
    card = message.child(0)
    assert message.rect().contains(card.rect().center())
    center = card.rect().center()
    assert name(top.childAt(center.x(), center.y())) == name(message)
    assert name(message.childAt(center.x(), center.y())) == name(card)
    assert top.childAt(-5, -5) is None


def test_removed_objects_are_invalid(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0)))
    message = face(view).child(0)
    card = message.child(0)
    node = card.object()
    assert isinstance(node, RegionNode)
    entry(view, "a").items.clear()
    assert node.rect.isNull()
    node.press()
    view.show_path(ShownPath("", []), [])
    owner = message.object()
    assert isinstance(owner, MessageNode)
    assert (owner.text, owner.rect.isNull()) == ("", True)
    assert face(view).childCount() == 0


def test_states(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"))
    stream(view, "a", "One")
    states = [face(view).child(n).state() for n in range(2)]
    assert [bool(state.busy) for state in states] == [False, True]
    assert all(state.readOnly for state in states)
    with qtbot.waitActive(view):
        view.activateWindow()
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Tab)
    assert any(face(view).child(n).state().focused for n in range(2))


def test_questions_and_replies_are_announced(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    stream(view, "a", "Hello")
    said_words: list[str] = []
    view.access.announced.connect(said_words.append)
    view.apply([("a", BlockChanged(call(1, ToolStatus.ASKING, "note.add")))])
    view.apply([("a", TurnEnded(MessageState.DONE, NOW))])
    question, reply = said_words
    assert question.startswith("The companion asks for permission: Use “note.add”?\n")
    assert reply == "Hello The reply is finished."


def test_other_objects_are_those_of_qt(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    assert create_interface("QWidget", view.viewport()) is None
