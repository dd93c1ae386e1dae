"""The keyboard reaches everything, visibly."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import MessageState, Notice, Text, ToolStatus
from neodeskpet.core.errors import Action
from neodeskpet.core.turn.turn_events import BlockChanged
from neodeskpet.ui.chat.items.tool_card_items import CardHead
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import LIGHT
from tests.support.menus import open_menu
from tests.support.reader import expanded, focused
from tests.unit.ui.chat.doubles import call, companion, find, open_view, person, said, stream

LONG = "\n\n".join(f"Paragraph {n}" for n in range(100))


def press(view: ChatView, key: Qt.Key, times: int = 1) -> None:
    for _ in range(times):
        QTest.keyClick(view, key)


def walk(view: ChatView, key: Qt.Key, steps: int) -> list[str]:
    out = []
    for _ in range(steps):
        press(view, key)
        out.append(focused(view))
    return out


def filled(qtbot: QtBot) -> ChatView:
    notice = Notice(2, 0, "stream_broken", actions=(Action.CONTINUE, Action.RETRY))
    view = open_view(qtbot, person("u", "Hello"), companion("a", call(0), Text(1, 0, "x"), notice))
    return activate(qtbot, view)


def activate(qtbot: QtBot, view: ChatView) -> ChatView:
    """Only an active window has the focus."""
    with qtbot.waitActive(view):
        view.activateWindow()
    view.setFocus()
    return view


REPLY = (
    "Companion: web.search, rain, It rains. x The reply stopped before it was complete. "
    "The received part is kept. Continue from there, "
)
STOPS = [
    "You: Hello",
    "Copy",
    "Edit",
    "More…",
    REPLY,
    "web.search, rain, It rains.",
    "Continue",
    "Retry",
    "Copy",
    "Retry",
    "What happened in this turn",
    "More…",
]
CARD = STOPS.index("web.search, rain, It rains.") + 1


def test_tab_moves_over_messages_cards_and_buttons(qtbot: QtBot) -> None:
    view = filled(qtbot)
    assert walk(view, Qt.Key.Key_Tab, len(STOPS)) == STOPS
    assert walk(view, Qt.Key.Key_Backtab, 3) == STOPS[-2:-5:-1]


def test_arrows_move_too_once_the_focus_is_inside(qtbot: QtBot) -> None:
    view = filled(qtbot)
    press(view, Qt.Key.Key_Tab)
    assert walk(view, Qt.Key.Key_Down, 3) == STOPS[1:4]
    assert walk(view, Qt.Key.Key_Up, 2) == STOPS[2:0:-1]


def test_the_focus_is_visible(qtbot: QtBot) -> None:
    view = filled(qtbot)
    place, _ = find(view, "a", CardHead)
    before = view.grab(view.scroller.row_rect(place)).toImage()
    press(view, Qt.Key.Key_Tab, CARD)
    assert focused(view) == "web.search, rain, It rains."
    assert view.grab(view.scroller.row_rect(place)).toImage() != before


def test_enter_presses(qtbot: QtBot) -> None:
    view = filled(qtbot)
    press(view, Qt.Key.Key_Tab, CARD)
    press(view, Qt.Key.Key_Return)
    assert expanded(view, "web.search")
    assert focused(view) == "web.search, rain, It rains."
    press(view, Qt.Key.Key_Return)
    assert not expanded(view, "web.search")
    press(view, Qt.Key.Key_Tab)
    with qtbot.waitSignal(view.action_requested) as asked:
        press(view, Qt.Key.Key_Enter)
    assert asked.args == ["a", "continue"]


def test_tab_leaves_at_the_end_and_enters_at_both_sides(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    view = ChatView(LIGHT)
    before, after = QLineEdit(), QLineEdit()
    layout = QVBoxLayout(window)
    for widget in (before, view, after):
        layout.addWidget(widget)
    view.add_message(person("u", "Hello"))
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    before.setFocus()
    QTest.keyClick(before, Qt.Key.Key_Tab)
    assert view.hasFocus()
    assert focused(view) == "You: Hello"
    assert walk(view, Qt.Key.Key_Tab, 3) == ["Copy", "Edit", "More…"]
    press(view, Qt.Key.Key_Tab)
    assert after.hasFocus()
    assert focused(view) == ""
    QTest.keyClick(after, Qt.Key.Key_Backtab)
    assert view.hasFocus()
    assert focused(view) == "More…"


def test_the_focused_part_becomes_visible(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0), Text(1, 0, LONG)), said("b", "end"))
    activate(qtbot, view)
    view.verticalScrollBar().setValue(0)
    press(view, Qt.Key.Key_Tab, 3)
    assert focused(view) == "Copy"
    assert view.verticalScrollBar().value() > 500


def test_scrolling(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LONG))
    bar = view.verticalScrollBar()
    press(view, Qt.Key.Key_Home)
    assert bar.value() == 0
    press(view, Qt.Key.Key_Down)
    assert 0 < bar.value() < 100
    press(view, Qt.Key.Key_Up)
    assert bar.value() == 0
    press(view, Qt.Key.Key_PageDown, 2)
    assert bar.value() > view.viewport().height()
    press(view, Qt.Key.Key_PageUp)
    press(view, Qt.Key.Key_End)
    assert bar.value() == bar.maximum()
    view.add_message(said("b", "More"))
    assert bar.value() == bar.maximum()


def test_escape_clears_the_focus(qtbot: QtBot) -> None:
    view = filled(qtbot)
    press(view, Qt.Key.Key_Tab)
    press(view, Qt.Key.Key_Escape)
    assert focused(view) == ""


@pytest.mark.parametrize("key", [Qt.Key.Key_F5, Qt.Key.Key_Return, Qt.Key.Key_Escape])
def test_other_keys_are_passed_on(qtbot: QtBot, key: Qt.Key) -> None:
    view = open_view(qtbot, person("u", "Hello"))
    event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view, event)
    assert not event.isAccepted()


def test_an_empty_view_has_no_stops(qtbot: QtBot) -> None:
    view = activate(qtbot, open_view(qtbot))
    press(view, Qt.Key.Key_Tab)
    assert focused(view) == ""


def test_the_focus_goes_to_the_harmless_answer_of_a_question(qtbot: QtBot) -> None:
    asking = companion("a", call(0, ToolStatus.ASKING), state=MessageState.RUNNING)
    view = open_view(qtbot, person("u", "Hello"), asking)
    assert view.go_to_question()
    assert view.scene.focus is not None
    assert view.scene.focus.key == "keep"
    with qtbot.waitSignal(view.approval_given) as given:
        press(view, Qt.Key.Key_Return)
    assert given.args[2] is ConsentAnswer.DENY


def test_without_a_question_the_focus_stays(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"), companion("a", call(0)))
    assert not view.go_to_question()


def control_enter(view: ChatView) -> None:
    QTest.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def test_ctrl_enter_says_yes_even_with_the_focus_on_no(qtbot: QtBot) -> None:
    asking = companion("a", call(0, ToolStatus.ASKING), state=MessageState.RUNNING)
    view = open_view(qtbot, person("u", "Hello"), asking)
    assert view.go_to_question()
    with qtbot.waitSignal(view.approval_given) as given:
        control_enter(view)
    assert given.args == ["a", 0, ConsentAnswer.ONCE, ""]


def test_a_question_out_of_view_is_shown_before_it_can_be_allowed(qtbot: QtBot) -> None:
    asking = companion("a", call(0, ToolStatus.ASKING), state=MessageState.RUNNING)
    view = open_view(qtbot, said("b", LONG), asking)
    answers: list[object] = []
    view.approval_given.connect(lambda *answer: answers.append(answer))
    view.scroller.scroll_by(-(1 << 28))
    assert view.allow_question()
    assert answers == []
    assert view.scene.focus is not None
    assert view.scene.focus.key == "keep"
    assert view.allow_question()
    assert len(answers) == 1


def test_a_question_can_be_left_open(qtbot: QtBot) -> None:
    asking = companion("a", call(0, ToolStatus.ASKING), state=MessageState.RUNNING)
    view = open_view(qtbot, person("u", "Hello"), asking)
    with qtbot.assertNotEmitted(view.approval_given):
        assert view.go_to_question()
        assert view.leave_question()
    assert view.scene.focus is None
    assert not open_view(qtbot, person("u", "Hello")).leave_question()


def test_the_menus_of_a_question_are_used_by_keyboard(qtbot: QtBot) -> None:
    asking = companion("a", call(0, ToolStatus.ASKING), state=MessageState.RUNNING)
    view = activate(qtbot, open_view(qtbot, person("u", "Hello"), asking))
    assert view.go_to_question()
    press(view, Qt.Key.Key_Tab)
    assert focused(view) == "Always…"
    press(view, Qt.Key.Key_Return)
    menu = open_menu()
    assert [action.text() for action in menu.actions()] == ["Always"]
    with qtbot.waitSignal(view.approval_given) as given:
        QTest.keyClick(menu, Qt.Key.Key_Return)
    assert given.args == ["a", 0, ConsentAnswer.ALWAYS, ""]
    assert view.go_to_question()
    press(view, Qt.Key.Key_Tab, 2)
    assert focused(view) == "More answers"
    press(view, Qt.Key.Key_Return)
    menu = open_menu()
    names = ["Edit before it runs…", "No, with a reason…", "Details (JSON)"]
    assert [action.text() for action in menu.actions()] == names
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert view.reason_field.isVisible()
    assert view.leave_question()
    assert not view.reason_field.isVisible()


def test_a_menu_of_a_question_that_was_answered_does_nothing(qtbot: QtBot) -> None:
    asking = companion("a", call(0, ToolStatus.ASKING), state=MessageState.RUNNING)
    view = activate(qtbot, open_view(qtbot, person("u", "Hello"), asking))
    assert view.go_to_question()
    press(view, Qt.Key.Key_Tab)
    press(view, Qt.Key.Key_Return)
    menu = open_menu()
    view.apply([("a", BlockChanged(call(0, ToolStatus.CANCELLED)))])
    with qtbot.assertNotEmitted(view.approval_given):
        QTest.keyClick(menu, Qt.Key.Key_Return)


_LINKS = "See [the **whole** page](https://example.org/a) and https://example.org/b now."


def test_each_link_is_one_stop_and_enter_opens_it(qtbot: QtBot) -> None:
    view = activate(qtbot, open_view(qtbot, said("a", _LINKS)))
    press(view, Qt.Key.Key_Tab)
    before = view.grab().toImage()
    press(view, Qt.Key.Key_Tab)
    assert focused(view) == "the whole page"
    assert view.grab().toImage() != before, "it has a frame"
    with qtbot.waitSignal(view.link_activated) as opened:
        press(view, Qt.Key.Key_Return)
    assert opened.args == ["https://example.org/a"]
    press(view, Qt.Key.Key_Tab)
    assert focused(view) == "https://example.org/b"


def test_other_schemes_and_footnotes_are_no_stops(qtbot: QtBot) -> None:
    text = "See [it](file:///etc/passwd) and a note[^1].\n\n[^1]: The note."
    view = open_view(qtbot, said("a", text))
    keys = [node.key for node in view.access.messages()[0].regions()]
    assert not [key for key in keys if key.startswith("link")]


def test_a_growing_text_gets_its_links(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    stream(view, "a", "See ")
    node = view.access.messages()[0]
    assert node.regions() == []
    stream(view, "a", "[it](https://example.org)", " and ", "[that](https://example.com).")
    names = [node.region.name for node in node.regions() if node.region is not None]
    assert names == ["it", "that"]


def test_the_frame_is_only_shown_where_the_focus_is(qtbot: QtBot) -> None:
    view = activate(qtbot, open_view(qtbot, person("u", "Hello")))
    press(view, Qt.Key.Key_Tab)
    with_frame = view.viewport().grab().toImage()
    other = QLineEdit(view)
    other.show()
    other.setFocus()
    assert view.viewport().grab().toImage() != with_frame
    view.setFocus()
    assert view.viewport().grab().toImage() == with_frame


def test_esc_closes_a_form_and_the_focus_returns(qtbot: QtBot) -> None:
    asking = companion("a", call(0, ToolStatus.ASKING), state=MessageState.RUNNING)
    view = activate(qtbot, open_view(qtbot, person("u", "Hello"), asking))
    assert not view.close_form()
    for number in (0, 1):
        assert view.go_to_question()
        press(view, Qt.Key.Key_Tab)
        press(view, Qt.Key.Key_Tab)
        press(view, Qt.Key.Key_Return)
        menu = open_menu()
        for _ in range(number):
            QTest.keyClick(menu, Qt.Key.Key_Down)
        QTest.keyClick(menu, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: QApplication.focusWidget() is not view)
        assert view.close_form()
        assert focused(view) == "More answers"


def test_esc_in_the_editor_returns_to_its_button(qtbot: QtBot) -> None:
    view = activate(qtbot, open_view(qtbot, person("u", "Hello"), said("a", "Hi")))
    view.edit_message("u")
    assert view.close_form()
    assert focused(view) == "Edit"
    assert not view.message_editing.leave()


def test_after_an_answer_the_composer_is_next(qtbot: QtBot) -> None:
    asking = companion("a", call(0, ToolStatus.ASKING), state=MessageState.RUNNING)
    view = activate(qtbot, open_view(qtbot, person("u", "Hello"), asking))
    assert view.go_to_question()
    with qtbot.waitSignals([view.approval_given, view.composer_requested]):
        press(view, Qt.Key.Key_Return)
    assert view.scene.focus is None


def test_a_part_that_is_gone_is_not_focused(qtbot: QtBot) -> None:
    view = activate(qtbot, open_view(qtbot, person("u", "Hello")))
    assert not view.focus_part("gone", "more")
    assert not view.focus_part("u", "more")
    assert view.focus_part("u", "message.copy")
