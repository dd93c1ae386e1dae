from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.speech_bubble import BubbleKeyboard, BubbleRank
from neodeskpet.core.speech_pages import MOST_PAGES, readable_text
from neodeskpet.ui.pet.bubble_painting import TAIL, bubble_path
from neodeskpet.ui.pet.screen_geometry import BubblePosition, TailSide
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from neodeskpet.ui.theme import DARK, LIGHT, Theme

SCREEN = QRect(0, 0, 1600, 1200)
FIGURE = QRect(700, 600, 250, 340)
MOUTH = QPoint(820, 720)
LONG = "".join(f"这是第{number}句话，说得不长也不短，刚好够用。" for number in range(12))


@pytest.fixture
def bubble(qtbot: QtBot) -> Iterator[SpeechBubble]:
    made = SpeechBubble(LIGHT)
    made.place_beside(FIGURE, MOUTH, SCREEN)
    yield made
    made.clear()
    made.close()
    made.deleteLater()


def shown(bubble: SpeechBubble, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bubble._shown_share == 1.0)


def test_it_follows_a_reply_sentence_by_sentence(bubble: SpeechBubble) -> None:
    bubble.start_reply()
    assert not bubble.isVisible(), "there is no text yet"
    bubble.add_text("明天有小")
    assert bubble.page_text == ""
    bubble.add_text("雨。我叫你")
    assert bubble.page_text == "明天有小雨。"
    assert bubble.isVisible()
    bubble.add_text("带伞！")
    bubble.end_reply()
    assert bubble.page_text == "明天有小雨。我叫你带伞！"
    assert bubble.accessibleDescription() == bubble.page_text


def test_a_reply_begins_by_itself_and_ending_twice_is_harmless(bubble: SpeechBubble) -> None:
    bubble.end_reply()
    bubble.add_text("Hello. ")
    bubble.end_reply()
    bubble.end_reply()
    assert bubble.page_text == "Hello."


def test_a_click_turns_the_page_and_the_last_click_is_reported(
    bubble: SpeechBubble, qtbot: QtBot
) -> None:
    bubble.add_text(LONG)
    bubble.end_reply()
    first = bubble.page_text
    QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
    assert bubble.page_text not in ("", first)
    with qtbot.waitSignal(bubble.activated):
        while bubble.is_speaking:
            QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not bubble.isVisible())


def test_a_right_click_closes_it(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.show_notice("Hello!")
    with qtbot.assertNotEmitted(bubble.activated), qtbot.waitSignal(bubble.finished):
        QTest.mouseClick(bubble, Qt.MouseButton.RightButton)
    assert not bubble.isVisible()


def test_the_text_stays_until_it_has_faded(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.show_notice("Hello!")
    qtbot.waitUntil(lambda: bubble._shown_share == 1.0)
    before = bubble.grab().toImage()
    bubble.clear()
    assert bubble.grab().toImage() == before
    qtbot.waitUntil(lambda: not bubble.isVisible())


def test_an_answered_question_fades_with_its_buttons(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.ask("q", "Delete the note?", (("yes", "Delete"), ("no", "Keep it")))
    shown(bubble, qtbot)
    before = bubble.grab().toImage()
    bubble.withdraw("q")
    assert bubble.choices == []
    assert bubble.grab().toImage() == before, "it begins to fade as it was"
    qtbot.waitUntil(lambda: not bubble.isVisible())
    bubble.ask("q", "Delete the note?", (("yes", "Delete"), ("no", "Keep it")))
    shown(bubble, qtbot)
    assert bubble.choices == ["Delete", "Keep it"]
    bubble.withdraw("q")


def test_a_notice_comes_first_and_the_reply_continues(bubble: SpeechBubble) -> None:
    bubble.add_text("One. Two. ")
    bubble.show_notice("⏰ **Tea** is ready")
    assert bubble.page_text == "⏰ Tea is ready"
    bubble.add_text("Three. ")
    QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
    assert bubble.page_text == "One. Two. Three."


def test_empty_notices_are_ignored(bubble: SpeechBubble) -> None:
    bubble.show_notice("# Only a heading")
    assert not bubble.is_speaking


def test_it_has_at_most_five_lines_and_280_pixels(bubble: SpeechBubble) -> None:
    bubble.show_notice("x" * 380 + LONG)
    while bubble.is_speaking:
        body = bubble.size() - QSize(2 * TAIL, 2 * TAIL)
        assert body.width() <= LIGHT.bubble_width
        # Five lines, and one for the page number.
        assert body.height() <= 6 * LIGHT.line_px + 2 * LIGHT.padding
        QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize(
    "figure", [FIGURE, QRect(0, 0, 250, 340), QRect(1350, 0, 250, 340), QRect(0, 860, 250, 340)]
)
def test_it_is_beside_the_figure_on_the_screen(bubble: SpeechBubble, figure: QRect) -> None:
    bubble.show_notice(LONG)
    bubble.place_beside(figure, figure.center(), SCREEN)
    body = bubble.geometry().adjusted(TAIL, TAIL, -TAIL, -TAIL)
    assert SCREEN.contains(body)
    assert not body.intersects(figure)
    bubble.place_in_corner(SCREEN)
    assert SCREEN.contains(bubble.geometry().adjusted(TAIL, TAIL, -TAIL, -TAIL))


def test_switched_off_it_stays_hidden(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.set_enabled(False)
    bubble.show_notice("Hello!")
    assert not bubble.isVisible()
    bubble.set_enabled(True)
    assert bubble.isVisible()


def test_it_disappears_when_it_was_read(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.show_notice("Hi!")
    with qtbot.waitSignal(bubble.finished):
        pass
    assert not bubble.isVisible()


def test_a_page_turns_when_it_was_read(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.show_notice("\n\n".join(["a", "b", "c", "d", "e", "f"]))
    assert bubble.page_text == "a b c d e"
    qtbot.waitUntil(lambda: bubble.page_text == "f")


@pytest.mark.parametrize("text", ["." * 500_000, "a。" * 2_000_000, "```\n" + "x\n" * 2_000_000])
def test_a_very_long_text_is_shown_in_the_chat_only(bubble: SpeechBubble, text: str) -> None:
    """Each of them once blocked the window for minutes."""
    bubble.start_reply()
    bubble.add_text(text)
    bubble.add_text(text)
    bubble.end_reply()
    pages = [bubble.page_text]
    while True:
        QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
        if not bubble.is_speaking:
            break
        pages.append(bubble.page_text)
    assert len(pages) <= MOST_PAGES
    assert pages[-1].endswith("… The rest is in the chat.")
    bubble.show_notice(text)


def test_it_takes_no_focus(bubble: SpeechBubble) -> None:
    assert bubble.windowFlags() & Qt.WindowType.WindowDoesNotAcceptFocus
    assert bubble.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_it_is_painted_in_the_themes_colours(
    bubble: SpeechBubble, qtbot: QtBot, theme: object
) -> None:
    bubble.set_theme(theme)  # type: ignore[arg-type]
    bubble.show_notice("Hi there, how are you?")
    shown(bubble, qtbot)
    image = bubble.grab().toImage()
    ratio = image.devicePixelRatio()
    at = QPoint(TAIL + 40, TAIL + 6) * ratio
    assert image.pixelColor(at).name() == QColor(bubble._theme.surface).name()
    edge = QPoint(TAIL + 40, TAIL) * ratio
    assert image.pixelColor(edge).name() == QColor(bubble._theme.ink).name()
    assert image.pixelColor(0, 0).alpha() == 0


@pytest.mark.parametrize("side", list(TailSide))
@pytest.mark.parametrize("tail", [-500, 0, 60, 500])
def test_the_outline_has_its_tail_on_its_side(side: TailSide, tail: int) -> None:
    body = QRectF(0, 0, 200, 100)
    around = bubble_path(body, BubblePosition(QRect(0, 0, 200, 100), side, tail), 12).boundingRect()
    assert (around.bottom() > 105) is (side is TailSide.BELOW)
    assert (around.top() < -5) is (side is TailSide.ABOVE)
    assert (around.left() < -5) is (side is TailSide.LEFT)
    assert (around.right() > 205) is (side is TailSide.RIGHT)


def test_questions_stay_and_the_newest_is_shown(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.set_enabled(False)
    bubble.ask("tea", "Tea is ready", (("done", "Done"),), sign="bell")
    bubble.ask("write", "May I?")
    assert bubble.page_text == "May I?"
    assert bubble.choices == []
    with qtbot.waitSignal(bubble.answered) as heard:
        QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
    assert heard.args == ["write", ""]
    QTest.mouseClick(bubble, Qt.MouseButton.RightButton)
    bubble.clear()
    assert bubble.page_text == "May I?", "only an answer closes it"
    bubble.withdraw("write")
    assert bubble.page_text == "Tea is ready"
    assert bubble.choices == ["Done"]
    assert bubble.isVisible()
    bubble.withdraw("tea")
    qtbot.waitUntil(lambda: not bubble.isVisible())


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_buttons_of_a_question_are_in_the_bubble(theme: Theme, qtbot: QtBot) -> None:
    bubble = SpeechBubble(theme)
    qtbot.addWidget(bubble)
    bubble.place_beside(FIGURE, MOUTH, SCREEN)
    bubble.ask("tea", "Tea", (("done", "Done"), ("later", "Snooze 5 min")), sign="bell")
    shown(bubble, qtbot)
    picture = bubble.grab().toImage()
    inside = bubble.rect().adjusted(TAIL, TAIL, -TAIL, -TAIL)
    places = [button.geometry() for button in bubble.findChildren(QPushButton)]
    assert len(places) == 2
    assert all(inside.contains(place) for place in places)
    assert not places[0].intersects(places[1])
    assert picture.pixelColor(places[0].center().x(), places[0].top() + 4) == QColor(theme.accent)


def test_a_reply_and_a_question_are_not_shown_while_the_user_sees_them_in_the_chat(
    bubble: SpeechBubble, qtbot: QtBot
) -> None:
    bubble.add_text("One. Two. ")
    shown(bubble, qtbot)
    bubble.set_seen_in_chat(reply=True, questions=[], chat_shown=True)
    qtbot.waitUntil(lambda: not bubble.isVisible())
    assert bubble.page_text == "One. Two.", "it continues, and is read in the conversation"
    bubble.ask("a", "May I?")
    qtbot.waitUntil(bubble.isVisible)
    bubble.set_seen_in_chat(reply=True, questions=["a"], chat_shown=True)
    qtbot.waitUntil(lambda: not bubble.isVisible())
    assert bubble.has_question and not bubble.shows_question
    bubble.set_seen_in_chat(reply=True, questions=[], chat_shown=False)
    qtbot.waitUntil(bubble.isVisible)
    assert bubble.shows_question, "its card was scrolled away"
    bubble.withdraw("a")
    qtbot.waitUntil(lambda: not bubble.isVisible())
    bubble.set_seen_in_chat(reply=False, questions=[], chat_shown=False)
    qtbot.waitUntil(bubble.isVisible)


def test_a_long_question_has_its_buttons_on_its_last_page(bubble: SpeechBubble) -> None:
    words = "May I run " + "a long command " * 24 + "--force?"
    bubble.ask("q", words, [("y", "Yes")], plain=True, whole=True)
    seen = bubble.page_text
    while not bubble.choices:
        assert "--force?" not in bubble.page_text
        QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
        assert bubble.page_text != seen
        seen = bubble.page_text
    assert seen.endswith("--force?")
    assert bubble.choices == ["Yes"]


def test_the_sender_of_a_notice_learns_that_it_was_closed(bubble: SpeechBubble) -> None:
    gone: list[str] = []
    bubble.show_notice("<b>plain</b>", plain=True, sign="plug", gone=lambda: gone.append("read"))
    bubble.show_notice("cleared", gone=lambda: gone.append("cleared"))
    bubble.show_notice("", gone=lambda: gone.append("empty"))
    assert bubble.page_text == "<b>plain</b>"
    assert gone == ["empty"]
    QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
    assert gone == ["empty", "read"]
    bubble.clear()
    assert gone == ["empty", "read", "cleared"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_buttons_without_room_side_by_side_are_in_rows(bubble: SpeechBubble, theme: Theme) -> None:
    bubble.set_theme(theme)
    texts = ["Yes", "Ask me tonight at eight", "Never for this project", "No", "Not now"]
    bubble.ask("q", "Deploy?", [(text, text) for text in texts], plain=True)
    places = [button.geometry() for button in bubble.findChildren(QPushButton)]
    assert len({place.top() for place in places}) > 1
    inside = bubble.rect().adjusted(TAIL, TAIL, -TAIL, -TAIL)
    assert all(inside.contains(place) for place in places)
    pairs = [(a, b) for a in places for b in places if a is not b]
    assert not any(a.intersects(b) for a, b in pairs)


def test_its_tail_turns_with_the_figure(bubble: SpeechBubble, qtbot: QtBot) -> None:
    """The bubble is as large as before, so only its tail is painted again."""

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.Paint:
                sides.append(bubble._spot.side)
            return False

    sides: list[TailSide] = []
    watch = Watch()
    bubble.installEventFilter(watch)
    bubble.show_notice("Here I am, and there.")
    shown(bubble, qtbot)
    bubble.place_beside(QRect(0, 0, 250, 340), QPoint(120, 150), SCREEN)
    qtbot.waitUntil(lambda: sides[-1] is TailSide.LEFT)


class Loud:
    """A voice that speaks until it is stopped."""

    def __init__(self) -> None:
        self.spoken: list[str] = []

    def speak(self, words: str, *, is_reply: bool) -> bool:
        self.spoken.append(words)
        return True

    def stop(self) -> None:
        self.spoken.append("(silence)")


def test_each_line_is_shown_by_itself_with_its_expression(bubble: SpeechBubble) -> None:
    worn: list[str] = []
    bubble.expression_requested.connect(worn.append)
    bubble.add_text("Good mor")
    bubble.add_text("ning. How are you?")
    assert bubble.page_text == "Good morning."
    bubble.end_line("smile")
    bubble.add_text("\n\nOff we go")
    bubble.end_line("")
    bubble.add_text("\n\nOh no")
    bubble.end_line("sad")
    bubble.end_reply()
    assert bubble.page_text == "Good morning. How are you?"
    assert worn == ["smile"]
    QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
    assert bubble.page_text == "Off we go"
    assert worn == ["smile"]
    QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
    assert bubble.page_text == "Oh no"
    assert worn == ["smile", "sad"]
    bubble.clear()
    assert not bubble.is_speaking


def test_expressions_of_lines_that_are_not_shown_come_at_once(bubble: SpeechBubble) -> None:
    worn: list[str] = []
    bubble.expression_requested.connect(worn.append)
    bubble.set_enabled(False)
    bubble.add_text("One.")
    bubble.end_line("smile")
    bubble.end_line("")
    assert worn == ["smile"]


def test_code_and_tables_are_named(qtbot: QtBot) -> None:
    voice = Loud()
    bubble = SpeechBubble(LIGHT, voice=voice)
    qtbot.addWidget(bubble)
    bubble.place_beside(FIGURE, MOUTH, SCREEN)
    bubble.add_text("Here:\n```python\nprint(1)\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\nDone.")
    bubble.end_reply()
    assert bubble.page_text == "Here: python, 1 line Table 1 × 2 Done."
    spoken = readable_text("".join(voice.spoken), lambda kind, _label: kind.name)
    assert " ".join(spoken.split()) == "Here: CODE TABLE Done."


def test_the_voice_sets_the_pace(qtbot: QtBot) -> None:
    voice = Loud()
    bubble = SpeechBubble(LIGHT, voice=voice)
    qtbot.addWidget(bubble)
    bubble.place_beside(FIGURE, MOUTH, SCREEN)
    bubble.add_text("One")
    bubble.end_line("")
    bubble.add_text("Two")
    bubble.end_reply()
    assert not bubble._reading.isActive(), "it waits for the voice"
    bubble.speech_finished()
    qtbot.waitUntil(lambda: bubble.page_text == "Two")
    assert voice.spoken == ["One", "Two"]
    bubble.clear()
    assert voice.spoken[-1] == "(silence)"


def test_the_expression_waits_for_the_sound(qtbot: QtBot) -> None:
    bubble = SpeechBubble(LIGHT, voice=Loud())
    qtbot.addWidget(bubble)
    bubble.place_beside(FIGURE, MOUTH, SCREEN)
    worn: list[str] = []
    bubble.expression_requested.connect(worn.append)
    bubble.add_text("One")
    bubble.end_line("smile")
    assert worn == []
    bubble.speech_started()
    assert worn == ["smile"]


def test_it_waits_under_the_pointer(bubble: SpeechBubble, qtbot: QtBot) -> None:
    """Whatever the reading time of the page, it stays; it continues after the pointer left."""
    for line in ("One", "Two", "Three"):
        bubble.add_text(line)
        bubble.end_line("")
    bubble.end_reply()
    shown(bubble, qtbot)
    QCursor.setPos(bubble.geometry().center())
    qtbot.waitUntil(bubble.underMouse)
    bubble._pointer = QPoint(0, 0)
    bubble._read()
    assert bubble._lines.due is None
    QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
    assert bubble.page_text == "Two"
    assert bubble._lines.due is None
    QCursor.setPos(5, 5)
    qtbot.waitUntil(lambda: bubble.page_text == "Three")


def test_a_pointer_that_rests_on_it_does_not_hold_it_open(qtbot: QtBot) -> None:
    """The user may be away: a greeting must not stay open over a sleeping figure."""
    now = [100.0]
    bubble = SpeechBubble(clock=lambda: now[0])
    bubble.place_beside(QRect(600, 400, 200, 300), QPoint(700, 500), QRect(0, 0, 1600, 1200))
    bubble.show_notice("Hello again!")
    shown(bubble, qtbot)
    QCursor.setPos(bubble.geometry().center())
    qtbot.waitUntil(bubble.underMouse)
    bubble._pointer = QPoint(0, 0)
    now[0] += 20.0
    bubble._read()
    assert bubble.is_speaking, "the pointer has just moved onto it"
    now[0] += 20.0
    bubble._read()
    assert bubble.is_speaking
    now[0] += 20.0
    bubble._read()
    now[0] += 20.0
    bubble._read()
    assert not bubble.is_speaking
    QCursor.setPos(5, 5)
    bubble.deleteLater()


def test_a_question_is_answered_by_keyboard(bubble: SpeechBubble, qtbot: QtBot) -> None:
    other = QPushButton("elsewhere")
    qtbot.addWidget(other)
    with qtbot.waitActive(other):
        other.show()
        other.activateWindow()
    other.setFocus()
    assert not bubble.take_keyboard(), "nothing is shown"
    keyboard = BubbleKeyboard(first_choice="no", dismiss_choice="no")
    bubble.ask("q", "Feed the cat?", (("yes", "Yes"), ("no", "Later")), keyboard=keyboard)
    assert other.isActiveWindow(), "it doesn't take the focus by itself"
    assert bubble.take_keyboard()
    assert bubble.take_keyboard(), "a second time changes nothing"
    qtbot.waitUntil(lambda: focused_text() == "Later")
    assert bubble.is_used
    with qtbot.waitSignal(bubble.answered) as given:
        press_key(Qt.Key.Key_Return)
    assert given.args == ["q", "no"]
    with qtbot.waitSignal(bubble.answered) as given:
        press_key(Qt.Key.Key_1)
    assert given.args == ["q", "yes"]
    press_key(Qt.Key.Key_A)
    press_key(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: focused_text() == "elsewhere")
    assert bubble.has_question
    assert not bubble.is_used
    with qtbot.waitSignal(bubble.answered) as given:
        assert bubble.dismiss()
    assert given.args == ["q", "no"]


def test_the_focus_goes_back_after_the_answer(bubble: SpeechBubble, qtbot: QtBot) -> None:
    other = QPushButton("elsewhere")
    qtbot.addWidget(other)
    with qtbot.waitActive(other):
        other.show()
        other.activateWindow()
    other.setFocus()
    bubble.ask("q", "Feed the cat?", (("yes", "Yes"),))
    bubble.ask("r", "And the dog?", (("yes", "Surely"),))
    bubble.take_keyboard()
    qtbot.waitUntil(lambda: focused_text() == "Surely")
    bubble.withdraw("r")
    qtbot.waitUntil(lambda: focused_text() == "Yes")
    assert not bubble.dismiss(), "it has to be answered"
    bubble.withdraw("q")
    qtbot.waitUntil(lambda: focused_text() == "elsewhere")


def test_a_notice_is_read_and_closed_by_keyboard(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.show_notice(LONG)
    first = bubble.page_text
    assert bubble.take_keyboard()
    qtbot.waitUntil(bubble.hasFocus)
    press_key(Qt.Key.Key_Right)
    assert bubble.page_text not in ("", first)
    assert bubble._lines.held, "it waits for the reader"
    with qtbot.waitSignal(bubble.activated):
        while bubble.is_speaking:
            press_key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not bubble.isVisible())


def test_esc_closes_a_notice(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.show_notice("Short.")
    bubble.take_keyboard()
    qtbot.waitUntil(bubble.hasFocus)
    press_key(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not bubble.isVisible())
    assert not bubble.dismiss()
    assert not bubble.next_page()


def press_key(key: Qt.Key) -> None:
    QTest.keyClick(QApplication.focusWidget(), key)


def focused_text() -> str:
    focused = QApplication.focusWidget()
    return focused.text() if isinstance(focused, QAbstractButton) else ""


def named(bubble: SpeechBubble, name: str) -> QWidget | None:
    """The visible part of the bubble with this accessible name."""
    parts = bubble.findChildren(QWidget)
    return next((one for one in parts if one.isVisible() and one.accessibleName() == name), None)


def link(bubble: SpeechBubble) -> QToolButton | None:
    buttons = bubble.findChildren(QToolButton)
    return next((one for one in buttons if one.isVisible() and one.text() == "Open in chat"), None)


@pytest.mark.parametrize("theme", [LIGHT, DARK.sized(20)])
def test_what_waits_is_counted_at_its_corner(
    bubble: SpeechBubble, qtbot: QtBot, theme: Theme
) -> None:
    bubble.set_theme(theme)
    bubble.set_shape_mask(True)
    bubble.add_text("A reply. ")
    assert named(bubble, "1 more") is None
    bubble.ask("tea", "Tea", rank=BubbleRank.TIMER)
    bubble.ask("q", "May I?", (("yes", "Yes"),))
    shown(bubble, qtbot)
    count = named(bubble, "2 more")
    assert count is not None
    assert bubble.rect().contains(count.geometry())
    assert bubble.mask().contains(count.geometry().center())
    picture = bubble.grab().toImage()
    place = (
        count.geometry().topLeft() + QPoint(4, count.height() // 2)
    ) * picture.devicePixelRatio()
    assert picture.pixelColor(place) == QColor(theme.accent)
    bubble.withdraw("q")
    assert named(bubble, "1 more") is not None
    bubble.withdraw("tea")
    assert named(bubble, "1 more") is None


def test_the_last_page_of_a_reply_leads_to_the_chat(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.add_text(LONG)
    assert link(bubble) is None
    bubble.end_reply()
    while bubble.next_page():
        pass
    button = link(bubble)
    assert button is not None, "on the last page"
    assert bubble.rect().adjusted(TAIL, TAIL, -TAIL, -TAIL).contains(button.geometry())
    bubble.take_keyboard()
    qtbot.waitUntil(bubble.hasFocus)
    press_key(Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: focused_text() == "Open in chat")
    with qtbot.waitSignal(bubble.activated):
        press_key(Qt.Key.Key_Return)
    assert not bubble.is_speaking
    qtbot.waitUntil(lambda: not bubble.isVisible())
    bubble.show_notice("Hello!")
    assert link(bubble) is None, "a notice isn't in the chat"


def test_a_click_on_a_pill_shows_it_in_the_chat(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.add_text(
        "Look: $\\\\frac{a}{b}$ and so on.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n"
    )
    bubble.add_text("\n\n".join(f"Line {number}." for number in range(9)))
    bubble.end_reply()
    shown(bubble, qtbot)
    assert bubble.page_text.startswith("Look: Formula and so on. Table 2 × 2 Line 0.")
    ground = QColor(LIGHT.hover)
    picture = bubble.grab().toImage()
    ratio = picture.devicePixelRatio()
    rows = [TAIL + LIGHT.padding + LIGHT.line_px // 2 + at * LIGHT.line_px for at in range(2)]
    for row in rows:
        pixels = [picture.pixelColor(QPoint(x, row - 7) * ratio) for x in range(bubble.width())]
        assert ground in pixels, "a pill"
    with qtbot.assertNotEmitted(bubble.activated):
        QTest.mouseClick(bubble, Qt.MouseButton.LeftButton, pos=QPoint(TAIL + 20, rows[0]))
    assert not bubble.page_text.startswith("Look"), "a click on words turns the page"
    bubble.start_reply()
    bubble.add_text("| a | b |\n|---|---|\n| 1 | 2 |\n\nLine 1.\n\n2.\n\n3.\n\n4.\n\n5.\n\n6.")
    bubble.end_reply()
    with qtbot.waitSignal(bubble.activated):
        QTest.mouseClick(bubble, Qt.MouseButton.LeftButton, pos=QPoint(TAIL + 30, rows[0]))


def test_it_keeps_its_distance_from_the_edges_of_the_screen(bubble: SpeechBubble) -> None:
    room = SCREEN.adjusted(8, 8, -8, -8)
    bubble.show_notice("Hello, here I am, and there you are!")
    for corner in (SCREEN.topLeft(), SCREEN.bottomRight() - QPoint(250, 340)):
        figure = QRect(corner, FIGURE.size())
        bubble.place_beside(figure, figure.center(), SCREEN)
        assert room.contains(bubble.geometry().adjusted(TAIL, TAIL, -TAIL, -TAIL))
    bubble.place_in_corner(SCREEN)
    body = bubble.geometry().adjusted(TAIL, TAIL, -TAIL, -TAIL)
    assert body.bottomRight() == SCREEN.bottomRight() - QPoint(16, 16)


def test_it_covers_an_own_window_rather_than_a_field(bubble: SpeechBubble) -> None:
    bubble.show_notice("Hello, here I am!")
    composer = QRect(0, 0, 1600, 600)
    bubble.set_avoided_areas([SCREEN], [composer])
    body = bubble.geometry().adjusted(TAIL, TAIL, -TAIL, -TAIL)
    assert SCREEN.contains(body) and not body.intersects(composer)


def test_a_question_is_not_replaced_below_the_pointer(bubble: SpeechBubble, qtbot: QtBot) -> None:
    bubble.ask("old", "Feed the cat?", (("yes", "Yes"),))
    bubble.take_keyboard()
    qtbot.waitUntil(lambda: focused_text() == "Yes")
    bubble.ask("new", "Delete it?", (("yes", "Delete"),))
    assert bubble.page_text == "Feed the cat?"
    bubble.withdraw("old")
    assert bubble.page_text == "Delete it?"
    bubble.withdraw("new")
