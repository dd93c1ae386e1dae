"""The card above the composer of the chat that shows a question of another program: for example,
whether a coding agent may run a command or change a file.

Questions are no part of the conversation: they aren't stored, and no model reads them. The bubble
asks the same with the same answers (`app/external_api_companion.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QKeyEvent,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractSlider,
    QApplication,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.language import tr
from neodeskpet.ui.chat.chat_commands import QUESTION_KEYS
from neodeskpet.ui.commands import format_keys
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme, code_font, font_for_text, set_style_sheet, ui_font
from neodeskpet.ui.widgets.accessible import announce, set_accessible_role
from neodeskpet.ui.widgets.labels import PlainLabel, button_text, set_tooltip

_ICON = "plug"
_GAP = 8
_FOLDED_LINES = 6
_LINES_AT_ONCE = 24
"""The most lines of an unfolded text that are shown without scrolling."""
_LEAST_LINES = 3
_ROOM_FOR_MESSAGES = 120
"""Pixels that the card leaves for the messages, unless its text would have less than the least
lines.
"""
_TEXT_PADDING = 6
_GUARD_MS = 500
"""Milliseconds for which the answers of a question that has just appeared can't be pressed, so that
a click or a key that was meant for something else doesn't answer it.
"""
_MOST_ANNOUNCED = 600


@dataclass(frozen=True, slots=True)
class ProgramQuestion:
    """`title` (one line) and `text` are plain text of the program; `origin` says who asks.
    `choices` are ids and labels: the last one postpones the answer. The first `guarded` ones can be
    pressed only after the end of the text was shown.
    """

    key: str
    title: str
    origin: str
    text: str
    choices: tuple[tuple[str, str], ...]
    guarded: int


class ProgramQuestionCard(QFrame):
    """Shows one question: the newest, but no other one in place of one that the user points at or
    has the focus on. Hidden without a question.
    """

    answered = Signal(str, str)
    """The key of a question, and the id of the choice."""
    changed = Signal()
    """Another question is shown, or none."""
    left = Signal()
    """The user leaves the question, or it has gone while the focus was on it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._questions: dict[str, ProgramQuestion] = {}
        self._shown: ProgramQuestion | None = None
        self._room = 0
        self._is_read = self._is_unfolded = self._is_ready = False
        self._guard = QTimer(self, singleShot=True, interval=_GUARD_MS)
        self._guard.timeout.connect(self._end_guard)
        self._card = QFrame()
        self._card.setProperty("card", True)
        set_accessible_role(self._card, QAccessible.Role.Grouping)
        self._icon = PlainLabel()
        self._icon.setContentsMargins(0, 2, 0, 0)
        self.title, self.origin = PlainLabel(), PlainLabel()
        self.count = PlainLabel()
        self.text = _QuestionText(theme)
        self.text.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.text.end_shown.connect(self._on_end_shown, Qt.ConnectionType.QueuedConnection)
        self.more = QPushButton()
        self.more.setProperty("quiet", True)
        self.more.clicked.connect(self._show_more)
        self.answers = _Answers()
        self._lay_out()
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    @property
    def shown_key(self) -> str:
        """The key of the question that is shown; "" for none."""
        return self._shown.key if self._shown is not None else ""

    @property
    def buttons(self) -> Sequence[QPushButton]:
        """The buttons of the answers."""
        return self.answers.buttons

    def show_question(self, question: ProgramQuestion) -> None:
        """Show a question until `withdraw`."""
        self._questions[question.key] = question
        if self._shown is None or not self._is_used():
            self._show(question)
        self._show_count()

    def withdraw(self, key: str) -> None:
        """Remove a question that was answered here or elsewhere. Idempotent."""
        self._questions.pop(key, None)
        if self._shown is not None and self._shown.key == key:
            had_focus = self._has_focus()
            self._show(next(reversed(self._questions.values()), None))
            if had_focus and not self.take_focus():
                self.left.emit()
        self._show_count()

    def take_focus(self) -> bool:
        """Move the focus to the answer that changes nothing; return False without a question."""
        if self._shown is None or not self.isVisible():
            return False
        self.buttons[-1].setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def leave(self) -> bool:
        """Leave the question open and give the focus back; return False if it isn't here."""
        had_focus = self._has_focus()
        if had_focus:
            self.left.emit()
        return had_focus

    def allow(self) -> bool:
        """Give the first answer if all of the question was shown. Otherwise move the focus to the
        card. Return False if no question is shown.
        """
        if self._shown is None or not self.isVisible():
            return False
        if self.buttons[0].isEnabled():
            self.buttons[0].click()
        elif not self._has_focus():
            self.take_focus()
        return True

    def set_room(self, left: int, right: int, height: int) -> None:
        """Set the margins left and right, to align it with the messages above, and the height that
        it shares with them.
        """
        self._room = height - _ROOM_FOR_MESSAGES
        self._outside.setContentsMargins(left, _GAP, right, _GAP)
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        side = theme.font_px + 2
        self._icon.setPixmap(pixmap(_ICON, QColor(theme.asks), side, self.devicePixelRatioF()))
        self._style_title()
        for label in (self.origin, self.count):
            label.setFont(ui_font(theme, theme.small_px))
        self.text.set_theme(theme)
        self._fit()

    def retranslate(self) -> None:
        self.text.setAccessibleName(tr("Details"))
        self._show_state()
        self._show_count()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the focused button, Ctrl+Enter says yes, Esc leaves the question open."""
        focused = QApplication.focusWidget()
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.allow()
        elif is_enter and isinstance(focused, QPushButton):
            focused.click()
        elif event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif not is_enter:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_ready and not self._guard.isActive():
            self._guard.start()

    def _lay_out(self) -> None:
        for label in (self.title, self.origin):
            label.setWordWrap(True)
        for label in (self.origin, self.count):
            label.setProperty("muted", True)
        head = QHBoxLayout()
        head.setSpacing(_GAP)
        head.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.title, 1)
        head.addWidget(self.count, 0, Qt.AlignmentFlag.AlignTop)
        box = QVBoxLayout(self._card)
        box.setContentsMargins(12, 10, 12, 12)
        box.setSpacing(6)
        box.addLayout(head)
        box.addWidget(self.origin)
        box.addWidget(self.text)
        box.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        box.addWidget(self.answers)
        self._outside = QVBoxLayout(self)
        self._outside.addWidget(self._card)

    def _show(self, question: ProgramQuestion | None) -> None:
        self._shown = question
        self._guard.stop()
        self._is_ready = self._is_unfolded = False
        if question is not None:
            self._is_read = not question.text
            self.title.setText(question.title)
            self._style_title()
            self._card.setAccessibleName(question.title)
            self.origin.setText(question.origin)
            self.origin.setVisible(bool(question.origin))
            self.text.set_text(question.text)
            self.text.setVisible(bool(question.text))
            self.answers.set_choices(question.choices, partial(self._answer, question.key))
            self._show_state()
        self.setVisible(question is not None)
        self._fit()
        self.changed.emit()
        if question is not None and self.isVisible():
            announce(self, self._announcement(question), urgent=True)

    def _style_title(self) -> None:
        self.title.setFont(font_for_text(self.title.text(), ui_font(self._theme, bold=True)))

    def _announcement(self, question: ProgramQuestion) -> str:
        text = question.text[:_MOST_ANNOUNCED]
        answers = ", ".join(label for _, label in question.choices)
        keys = tr("{keys} goes to the answers.", keys=format_keys(QUESTION_KEYS))
        return "\n".join(filter(None, (question.title, question.origin, text, answers, keys)))

    def _answer(self, key: str, choice: str) -> None:
        self.answered.emit(key, choice)

    def _is_used(self) -> bool:
        return self.underMouse() or self._has_focus()

    def _has_focus(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    @Slot()
    def _end_guard(self) -> None:
        self._is_ready = True
        self._show_state()

    @Slot()
    def _on_end_shown(self) -> None:
        if not self._is_read and self.text.shows_end:
            self._is_read = True
            self._show_state()

    @Slot()
    def _show_more(self) -> None:
        """Unfold the text, then go on by a page."""
        if self._is_unfolded:
            bar = self.text.verticalScrollBar()
            bar.triggerAction(QAbstractSlider.SliderAction.SliderPageStepAdd)
        self._is_unfolded = True
        self._fit()
        self._show_state()

    @Slot()
    def _fit(self) -> None:
        if self._shown is None:
            return
        line = self.text.line_height
        rest = self._outside.heightForWidth(self.width()) - self.text.height()
        room = max(self._room - rest, _LEAST_LINES * line)
        self.text.fit(min(room, line * (_LINES_AT_ONCE if self._is_unfolded else _FOLDED_LINES)))

    def _show_state(self) -> None:
        """Show what can be pressed, and why not."""
        question = self._shown
        if question is None:
            return
        had_focus = self.more.hasFocus()
        self.more.setText(tr("Show more") if self._is_unfolded else tr("Show all"))
        self.more.setVisible(not self._is_read)
        hint = "" if self._is_read else tr("Only after all of it was shown")
        for button in self.buttons[: question.guarded]:
            button.setEnabled(self._is_read and self._is_ready)
            set_tooltip(button, hint)
            button.setAccessibleDescription(hint)
        if had_focus and self._is_read:
            self.take_focus()
        self._fit()

    def _show_count(self) -> None:
        waiting = len(self._questions) - 1
        self.count.setText(tr("{count} more", count=str(waiting)) if waiting > 0 else "")
        self.count.setVisible(waiting > 0)


class _QuestionText(QTextEdit):
    """A plain text in which the lines of a diff have its colours. `end_shown` is emitted whenever
    its end is painted.
    """

    end_shown = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._whole = ""
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)

    @property
    def shows_end(self) -> bool:
        """Whether the last line is in view."""
        below = self.verticalScrollBar().value() + self.viewport().height()
        return self.isVisible() and below + 1 >= self.document().size().height()

    @property
    def line_height(self) -> int:
        """The height of a line in pixels."""
        lines = self.document().firstBlock().layout()
        if not lines.lineCount():
            return self.fontMetrics().lineSpacing()
        return ceil(lines.lineAt(0).height())

    def set_text(self, text: str) -> None:
        self._whole = text
        self.clear()
        cursor = QTextCursor(self.document())
        for number, line in enumerate(text.split("\n")):
            form = QTextCharFormat()
            token = _diff_token(line)
            if token:
                form.setForeground(QColor(getattr(self._theme, token)))
            cursor.insertText(("\n" if number else "") + line, form)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setFont(code_font(theme))
        set_style_sheet(
            self,
            f"QTextEdit {{ background: {theme.code}; border: 1px solid {theme.line};"
            f" border-radius: {theme.control_radius}px; padding: {_TEXT_PADDING}px 8px; }}"
            f"QTextEdit:focus {{ border-color: {theme.accent}; }}",
        )
        place = self.verticalScrollBar().value()
        self.set_text(self._whole)
        self.verticalScrollBar().setValue(place)

    def fit(self, most: int) -> None:
        """Make it as high as its text, with at most `most` pixels for the lines."""
        high = min(round(self.document().size().height()), most) + 2 * (_TEXT_PADDING + 1)
        if high != self.height():
            self.setFixedHeight(high)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.shows_end:
            self.end_shown.emit()


def _diff_token(line: str) -> str:
    """Return the name of the colour of a line of a diff; "" for any other line."""
    if line.startswith(("+++", "---", "@@")):
        return "muted"
    return {"+": "done", "-": "failed"}.get(line[:1], "")


class _Answers(QWidget):
    """Buttons side by side, as many in a row as fit."""

    def __init__(self) -> None:
        super().__init__()
        self.buttons: list[QPushButton] = []

    def set_choices(
        self, choices: Sequence[tuple[str, str]], answered: Callable[[str], None]
    ) -> None:
        """Replace the buttons. `answered` is called with the id of the pressed one."""
        for old in self.buttons:
            old.hide()
            old.deleteLater()
        self.buttons = [QPushButton(button_text(label), self) for _, label in choices]
        for (choice, _), button in zip(choices, self.buttons, strict=True):
            button.clicked.connect(partial(_call, answered, choice))
        self.buttons[0].setProperty("primary", True)  # before it gets its style
        for button in self.buttons:
            button.show()
        self._place()

    def sizeHint(self) -> QSize:
        return QSize(0, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:  # the text size has changed
            self._place()
        return super().event(event)

    def _place(self) -> None:
        x = y = high = 0
        for button in self.buttons:
            size = button.sizeHint()
            wide = min(size.width(), max(1, self.width()))
            if x and x + wide > self.width():
                x, y = 0, y + high + _GAP
            button.setGeometry(x, y, wide, size.height())
            x, high = x + wide + _GAP, size.height()
        self.setFixedHeight(y + high)


def _call(answered: Callable[[str], None], choice: str, _checked: bool = False) -> None:
    answered(choice)
