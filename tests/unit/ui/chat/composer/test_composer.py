"""The composer: Enter and the input method, growing, queueing, recalling, stopping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt
from PySide6.QtGui import QClipboard, QFocusEvent, QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.chat.composer.message_field import MAX_LINES, clean_text
from neodeskpet.ui.theme import DARK, LIGHT

ENTER = Qt.Key.Key_Return
SHIFT = Qt.KeyboardModifier.ShiftModifier


class Told:
    """The signals of the composer in order."""

    def __init__(self, composer: Composer) -> None:
        self.all: list[tuple[object, ...]] = []
        composer.submitted.connect(lambda text: self.all.append(("submitted", text)))
        composer.stop_requested.connect(lambda: self.all.append(("stop",)))
        composer.unqueue_requested.connect(lambda row: self.all.append(("unqueue", row)))
        composer.draft_changed.connect(lambda text: self.all.append(("draft", text)))
        composer.attach_requested.connect(lambda: self.all.append(("attach",)))

    def of(self, kind: str) -> list[object]:
        return [entry[1] if len(entry) > 1 else None for entry in self.all if entry[0] == kind]


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    made = Composer(LIGHT)
    qtbot.addWidget(made)
    made.resize(480, 120)
    made.show()
    return made


@pytest.fixture
def told(composer: Composer) -> Told:
    return Told(composer)


def compose(composer: Composer, preedit: str, commit: str = "") -> None:
    """The events of an input method while it composes (`preedit`) and when it commits."""
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(composer.field, event)


def button(composer: Composer, name: str) -> QToolButton:
    return next(b for b in composer.findChildren(QToolButton) if b.accessibleName() == name)


class TestEnter:
    def test_sends_and_clears(self, composer: Composer, told: Told) -> None:
        QTest.keyClicks(composer.field, "hello")
        QTest.keyClick(composer.field, ENTER)
        assert told.of("submitted") == ["hello"]
        assert composer.draft() == ""

    def test_enter_of_the_number_pad_sends_too(self, composer: Composer, told: Told) -> None:
        composer.set_draft("1 + 1")
        QTest.keyClick(composer.field, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
        assert told.of("submitted") == ["1 + 1"]

    def test_with_shift_breaks_the_line(self, composer: Composer, told: Told) -> None:
        QTest.keyClicks(composer.field, "a")
        QTest.keyClick(composer.field, ENTER, SHIFT)
        QTest.keyClicks(composer.field, "b")
        assert told.of("submitted") == []
        assert composer.draft() == "a\nb"

    def test_while_composing_never_sends(self, composer: Composer, told: Told) -> None:
        compose(composer, "nihao")
        QTest.keyClick(composer.field, ENTER)
        assert told.of("submitted") == []
        assert composer.field.text() == ""
        compose(composer, "", "你好")
        QTest.keyClick(composer.field, ENTER)
        assert told.of("submitted") == ["你好"]

    def test_a_composition_that_is_cancelled_leaves_nothing(
        self, composer: Composer, told: Told
    ) -> None:
        compose(composer, "ni")
        assert composer.field.is_composing
        compose(composer, "")
        assert not composer.field.is_composing
        QTest.keyClick(composer.field, ENTER)
        assert told.of("submitted") == []

    def test_a_composition_that_ends_without_a_commit_does_not_block_enter(
        self, composer: Composer, told: Told
    ) -> None:
        composer.set_draft("hello")
        compose(composer, "ni")
        QApplication.sendEvent(composer.field, QFocusEvent(QEvent.Type.FocusOut))
        QTest.keyClick(composer.field, ENTER)
        assert told.of("submitted") == ["hello"]

    @pytest.mark.parametrize("text", ["", "   ", "\n\n", "\u3000"])
    def test_enter_sends_nothing_when_the_field_is_empty(
        self, composer: Composer, told: Told, text: str
    ) -> None:
        composer.set_draft(text)
        QTest.keyClick(composer.field, ENTER)
        assert told.of("submitted") == []

    @pytest.mark.parametrize(
        "text", ["👩‍👩‍👧‍👦 family", "𠮷野家", "e\u0301", "مرحبا", "<b>no markup</b>"]
    )
    def test_every_character_arrives(self, composer: Composer, told: Told, text: str) -> None:
        composer.set_draft(text)
        QTest.keyClick(composer.field, ENTER)
        assert told.of("submitted") == [text]


class TestButton:
    def test_sends(self, composer: Composer, told: Told) -> None:
        assert not button(composer, "Send").isEnabled()
        composer.set_draft("hello")
        QTest.mouseClick(button(composer, "Send"), Qt.MouseButton.LeftButton)
        assert told.of("submitted") == ["hello"]

    def test_ends_a_composition_first(self, composer: Composer, told: Told) -> None:
        composer.set_draft("hello")
        compose(composer, "ni")
        QTest.mouseClick(button(composer, "Send"), Qt.MouseButton.LeftButton)
        assert told.of("submitted") == ["hello"]

    def test_becomes_stop_while_a_turn_runs(self, composer: Composer, told: Told) -> None:
        composer.set_running(True)
        QTest.mouseClick(button(composer, "Stop"), Qt.MouseButton.LeftButton)
        assert told.of("stop") == [None]
        composer.set_running(False)
        assert not button(composer, "Send").isEnabled()

    def test_beside_stop_one_can_still_send(self, composer: Composer, told: Told) -> None:
        composer.set_running(True)
        later = button(composer, "Send after this reply")
        assert later.isHidden()
        composer.set_draft("and tomorrow?")
        assert not later.isHidden()
        QTest.mouseClick(later, Qt.MouseButton.LeftButton)
        assert told.of("submitted") == ["and tomorrow?"]
        assert told.of("stop") == []


class TestEscape:
    def test_stops_a_running_turn(self, composer: Composer, told: Told) -> None:
        composer.set_running(True)
        QTest.keyClick(composer.field, Qt.Key.Key_Escape)
        assert told.of("stop") == [None]

    def test_does_nothing_otherwise(self, composer: Composer, told: Told) -> None:
        composer.set_draft("kept")
        QTest.keyClick(composer.field, Qt.Key.Key_Escape)
        assert told.of("stop") == []
        assert composer.draft() == "kept"

    def test_while_composing_belongs_to_the_input_method(
        self, composer: Composer, told: Told
    ) -> None:
        composer.set_running(True)
        compose(composer, "ni")
        QTest.keyClick(composer.field, Qt.Key.Key_Escape)
        assert told.of("stop") == []


class TestDraft:
    def test_each_change_is_reported_once(self, composer: Composer, told: Told) -> None:
        QTest.keyClicks(composer.field, "ab")
        assert told.of("draft") == ["a", "ab"]

    def test_setting_a_draft_is_not_reported(self, composer: Composer, told: Told) -> None:
        composer.set_draft("from yesterday")
        assert told.of("draft") == []
        assert composer.draft() == "from yesterday"

    def test_sending_empties_it(self, composer: Composer, told: Told) -> None:
        composer.set_draft("gone")
        composer.submit()
        assert told.of("draft") == [""]

    def test_text_is_inserted_at_the_cursor(self, composer: Composer) -> None:
        composer.set_draft("ab")
        composer.field.moveCursor(composer.field.textCursor().MoveOperation.Left)
        composer.insert("> quoted\r\n")
        assert composer.draft() == "a> quoted\nb"


class TestRecall:
    def test_up_recalls_a_sent_message(self, composer: Composer) -> None:
        for text in ("one", "two"):
            composer.set_draft(text)
            composer.submit()
        QTest.keyClick(composer.field, Qt.Key.Key_Up)
        assert composer.draft() == "two"
        QTest.keyClick(composer.field, Qt.Key.Key_Up)
        assert composer.draft() == "one"
        QTest.keyClick(composer.field, Qt.Key.Key_Down)
        assert composer.draft() == "two"

    def test_up_in_a_text_moves_the_cursor(self, composer: Composer) -> None:
        composer.set_history(["sent before"])
        composer.set_draft("first\nsecond")
        QTest.keyClick(composer.field, Qt.Key.Key_Up)
        assert composer.draft() == "first\nsecond"
        assert composer.field.textCursor().blockNumber() == 0


class TestPaste:
    def test_paste_takes_only_the_text(self, composer: Composer) -> None:
        mime = QMimeData()
        mime.setHtml("<b>bold</b><img src='file:///x.png'>")
        mime.setText("bold\r\nand more")
        composer.field.insertFromMimeData(mime)
        assert composer.draft() == "bold\nand more"
        assert "font-weight:700" not in composer.field.toHtml()

    def test_paste_refuses_content_without_text(self, composer: Composer) -> None:
        assert not composer.field.canInsertFromMimeData(QMimeData())

    def test_an_empty_link_of_a_clipboard_inserts_nothing(self, composer: Composer) -> None:
        composer.field.insertFromMimeData(QMimeData())
        assert composer.draft() == ""


class TestSize:
    def test_grows_with_the_text_to_a_limit(self, composer: Composer) -> None:
        line = composer.field.line_height()
        heights = []
        for lines in (1, 3, MAX_LINES, MAX_LINES + 30):
            composer.set_draft("\n".join("x" * 3 for _ in range(lines)))
            heights.append(composer.field.height())
        assert heights[0] < heights[1] < heights[2] == heights[3]
        assert heights[3] <= line * MAX_LINES

    def test_shrinks_when_sent(self, composer: Composer) -> None:
        empty = composer.field.height()
        composer.set_draft("a\nb\nc")
        assert composer.field.height() > empty
        composer.submit()
        assert composer.field.height() == empty

    def test_a_very_long_word_wraps(self, composer: Composer) -> None:
        composer.set_draft("x" * 1000)
        assert composer.field.height() > composer.field.line_height()
        assert composer.field.horizontalScrollBar().maximum() == 0

    def test_fits_a_narrow_window(self, composer: Composer, qtbot: QtBot) -> None:
        composer.resize(320, 120)
        qtbot.waitUntil(lambda: composer.width() == 320)
        assert composer.minimumSizeHint().width() <= 320
        assert composer.field.placeholderText() == "Say something…"
        composer.resize(900, 120)
        qtbot.waitUntil(lambda: "Enter" in composer.field.placeholderText())


def test_a_queued_text_can_be_taken_back(composer: Composer, told: Told) -> None:
    composer.set_queue(["first", "second"])
    QTest.mouseClick(button(composer, "Take back: second"), Qt.MouseButton.LeftButton)
    assert told.of("unqueue") == [1]


def test_the_plus_button_is_visible_when_it_has_a_use(composer: Composer, told: Told) -> None:
    plus = button(composer, "Attach a picture or a file")
    assert plus.isHidden()
    composer.set_attachable(True)
    QTest.mouseClick(plus, Qt.MouseButton.LeftButton)
    assert told.all == [("attach",)]


def test_every_button_has_an_accessible_name(composer: Composer) -> None:
    composer.set_queue(["x"])
    assert all(one.accessibleName() for one in composer.findChildren(QToolButton))
    assert composer.field.accessibleName()


def colours(composer: Composer) -> set[str]:
    """The colours on a vertical line through the field."""
    picture = composer.grab().toImage()
    middle = picture.width() // 2
    return {picture.pixelColor(middle, y).name().upper() for y in range(picture.height())}


def test_another_theme_restyles_it(composer: Composer) -> None:
    composer.set_theme(DARK)
    composer.retranslate()
    assert DARK.window in composer.styleSheet()
    assert DARK.surface in colours(composer)


def test_the_frame_is_highlighted_with_the_focus(composer: Composer) -> None:
    composer.field.focused.emit(True)
    assert LIGHT.accent in colours(composer)
    assert LIGHT.control_line not in colours(composer)
    composer.field.focused.emit(False)
    assert LIGHT.control_line in colours(composer)


@given(st.text())
def test_clean_text_can_always_be_encoded(text: str) -> None:
    cleaned = clean_text(text)
    assert cleaned.encode() is not None
    assert "\r" not in cleaned
    assert "\0" not in cleaned


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0")))
def test_clean_changes_nothing_else(text: str) -> None:
    assert clean_text(text) == text


def test_the_middle_button_pastes_the_selection_around_the_text_too(qtbot: QtBot) -> None:
    composer = Composer(LIGHT)
    qtbot.addWidget(composer)
    composer.resize(500, 120)
    composer.show()
    clipboard = QGuiApplication.clipboard()
    if not clipboard.supportsSelection():  # only X11 has it
        return
    composer.field.replace_text("one ")
    clipboard.setText("two", QClipboard.Mode.Selection)
    QTest.mouseClick(composer, Qt.MouseButton.MiddleButton, pos=QPoint(3, 3))
    assert composer.draft() == "one two"
