"""The questions of other programs above the composer."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.chat.program_questions import ProgramQuestion, ProgramQuestionCard
from neodeskpet.ui.theme import DARK, LIGHT
from tests.unit.ui.chat.test_chat_window import View

CHOICES = (("0", "Run"), ("1", "Don't run"), ("later", "Not now"))
DIFF = "\n".join(f"{'+' if number % 2 else '-'} line {number}" for number in range(40))


class Asking(View):
    """A conversation in which the question of a tool may wait."""

    def __init__(self) -> None:
        super().__init__()
        self.asks = False
        self.events: list[str] = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def has_question(self) -> bool:
        return self.asks

    def go_to_question(self) -> bool:
        if self.asks:
            self.setFocus()
        return self.asks

    def allow_question(self) -> bool:
        if self.asks:
            self.events.append("allowed")
        return self.asks


@pytest.fixture
def view() -> Asking:
    return Asking()


@pytest.fixture
def window(qtbot: QtBot, view: Asking) -> ChatWindow:
    made = ChatWindow(view, LIGHT)
    qtbot.addWidget(made)
    made.resize(480, 640)
    made.present()
    qtbot.waitUntil(made.isActiveWindow)
    return made


@pytest.fixture
def card(window: ChatWindow) -> ProgramQuestionCard:
    return window.program_questions


def question(key: str = "a", text: str = "", title: str = "Run “make”?") -> ProgramQuestion:
    return ProgramQuestion(key, title, "agent asks in ~/app", text, CHOICES, 1)


def press(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def answers(card: ProgramQuestionCard) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    card.answered.connect(lambda key, choice: told.append((key, choice)))
    return told


def test_a_question_stands_above_the_composer_until_it_is_withdrawn(
    window: ChatWindow, card: ProgramQuestionCard, qtbot: QtBot
) -> None:
    told = answers(card)
    assert window.program_question_area[0] == ""
    card.show_question(question(text="$ <b>make</b>"))
    assert window.program_question_area[0] == "a"
    assert card.title.text() == "Run “make”?"
    assert card.origin.text() == "agent asks in ~/app"
    assert card.text.toPlainText() == "$ <b>make</b>", "it is no HTML"
    assert [one.text() for one in card.buttons] == ["Run", "Don't run", "Not now"]
    assert card.geometry().bottom() < window.composer.geometry().top()
    qtbot.waitUntil(card.buttons[0].isEnabled)
    for button in card.buttons:
        press(button)
    assert told == [("a", "0"), ("a", "1"), ("a", "later")]
    card.withdraw("a")
    card.withdraw("a")
    assert card.isHidden() and window.program_question_area[0] == ""


def test_a_question_that_just_appeared_is_not_answered_by_a_click_meant_for_another_thing(
    card: ProgramQuestionCard,
) -> None:
    told = answers(card)
    card.show_question(question())
    press(card.buttons[0])
    card.show_question(question("b"))
    press(card.buttons[0])
    assert told == []


def test_a_long_change_is_allowed_only_after_its_end_was_shown(
    card: ProgramQuestionCard, qtbot: QtBot
) -> None:
    card.show_question(question(text=DIFF))
    qtbot.waitUntil(card.more.isVisible)
    assert card.more.text() == "Show all"
    folded = card.text.height()
    press(card.more)
    assert card.text.height() > folded
    assert card.more.text() == "Show more", "it is too high for this window"
    assert not card.buttons[0].isEnabled()
    assert card.buttons[0].accessibleDescription() == "Only after all of it was shown"
    assert card.buttons[1].isEnabled() and card.buttons[2].isEnabled()
    for _ in range(4):
        press(card.more)
    qtbot.waitUntil(card.buttons[0].isEnabled)
    assert not card.more.isVisible()
    assert card.buttons[0].accessibleDescription() == ""


def test_the_newest_is_shown_but_not_in_place_of_one_with_the_focus(
    window: ChatWindow, card: ProgramQuestionCard
) -> None:
    card.show_question(question("a"))
    assert card.count.isHidden()
    card.show_question(question("b"))
    assert card.shown_key == "b" and card.count.text() == "1 more"
    assert card.take_focus()
    card.show_question(question("c"))
    assert card.shown_key == "b" and card.count.text() == "2 more"
    card.withdraw("b")
    assert card.shown_key == "c" and card.buttons[-1].hasFocus(), "the next one, harmlessly"
    card.withdraw("a")
    assert card.count.isHidden()
    card.withdraw("c")
    assert window.composer.field.hasFocus()
    assert not card.take_focus() and not card.allow()


def test_the_keys_are_those_of_a_tools_question(
    window: ChatWindow, card: ProgramQuestionCard, qtbot: QtBot
) -> None:
    told = answers(card)
    field = window.composer.field
    control = Qt.KeyboardModifier.ControlModifier
    card.show_question(question(text=DIFF))
    QTest.keyClick(field, Qt.Key.Key_Return, control)
    assert card.buttons[-1].hasFocus() and told == [], "its end wasn't shown yet"
    QTest.keyClick(card.buttons[-1], Qt.Key.Key_Escape)
    assert field.hasFocus() and card.shown_key == "a"
    QTest.keyClick(window, Qt.Key.Key_J, control)
    assert card.buttons[-1].hasFocus()
    window.set_running(True)
    QTest.keyClick(card.buttons[-1], Qt.Key.Key_Escape)
    assert field.hasFocus(), "Esc leaves the question, and stops no reply"
    window.set_running(False)
    card.take_focus()
    QTest.keyClick(card.buttons[-1], Qt.Key.Key_Return)
    card.text.setFocus()
    QTest.keyClick(card.text, Qt.Key.Key_Return)
    assert told == [("a", "later")]
    card.withdraw("a")
    card.show_question(question("b"))
    qtbot.waitUntil(card.buttons[0].isEnabled)
    QTest.keyClick(field, Qt.Key.Key_Return, control)
    assert told[-1] == ("b", "0")


def test_of_two_questions_ctrl_enter_answers_none(
    window: ChatWindow, card: ProgramQuestionCard, view: Asking, qtbot: QtBot
) -> None:
    told = answers(card)
    control = Qt.KeyboardModifier.ControlModifier
    view.asks = True
    card.show_question(question())
    qtbot.waitUntil(card.buttons[0].isEnabled)
    QTest.keyClick(window.composer.field, Qt.Key.Key_Return, control)
    assert card.buttons[-1].hasFocus() and told == view.events == []
    window.go_to_question()
    assert view.hasFocus()
    window.go_to_question()
    assert card.buttons[-1].hasFocus(), "the keys go from one to the other"
    QTest.keyClick(card.buttons[-1], Qt.Key.Key_Return, control)
    assert told == [("a", "0")]


@pytest.mark.parametrize("width", [320, 560, 1100])
def test_it_shares_the_edges_of_the_messages_and_nothing_is_cut(
    window: ChatWindow, card: ProgramQuestionCard, qtbot: QtBot, width: int
) -> None:
    def fits() -> bool:
        inside = [
            one.parentWidget().contentsRect().contains(one.geometry())
            and one.width() >= one.sizeHint().width()
            for one in (*card.buttons, card.more, card.title, card.origin)
        ]
        apart = card.more.geometry().top() > card.text.geometry().bottom()
        return all(inside) and apart and card.geometry().bottom() < window.composer.y()

    card.show_question(question(text=DIFF, title="Change “a/file.py”?"))
    window.resize(width, 480)
    for theme in (DARK, LIGHT.sized(20)):
        window.set_theme(theme)
        qtbot.waitUntil(fits)
    press(card.more)
    qtbot.waitUntil(fits)
    window.retranslate()
    assert card.more.text() == "Show more"
