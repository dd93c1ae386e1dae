"""Dictation in the composer: the microphone button, and the text that is being recognized."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum, auto

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor, QTextCursor
from PySide6.QtWidgets import QToolButton, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.chat.composer.message_field import MessageField
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import set_tooltip

HOLD_SECONDS = 0.4
"""A button that is held for longer is push to talk: its release ends the utterance."""
_ICON = 20


class DictationState(Enum):
    OFF = auto()
    """Listening is off: the button is hidden."""
    READY = auto()
    LISTENING = auto()
    RECOGNIZING = auto()


class DictationButton(QToolButton):
    """A click starts to listen, the next one ends the utterance; or it is held while speaking.
    While the recognizer works a click drops the utterance.
    """

    started = Signal()
    ended = Signal()
    cancelled = Signal()

    def __init__(
        self, theme: Theme, parent: QWidget, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._clock = clock
        self._state = DictationState.OFF
        self._pressed_at: float | None = None
        self.setProperty("quiet", True)
        self.setIconSize(QSize(_ICON, _ICON))
        self.pressed.connect(self._press)
        self.released.connect(self._release)
        self.hide()

    @property
    def state(self) -> DictationState:
        return self._state

    def show_state(self, state: DictationState) -> None:
        self._state = state
        self.setVisible(state is not DictationState.OFF)
        self._update_style()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._update_style()

    def retranslate(self) -> None:
        self._update_style()

    def _update_style(self) -> None:
        theme = self._theme
        match self._state:
            case DictationState.LISTENING:
                name, hint, colour = (
                    tr("Stop listening"),
                    tr("Listening… Click to end"),
                    theme.accent,
                )
            case DictationState.RECOGNIZING:
                name, hint, colour = tr("Stop recognizing"), tr("Recognizing…"), theme.accent
            case _:
                name, hint, colour = tr("Speak"), tr("Speak (click, or hold)"), theme.muted
        self.setIcon(icon("microphone", QColor(colour), _ICON))
        self.setAccessibleName(name)
        set_tooltip(self, hint)

    def _press(self) -> None:
        match self._state:
            case DictationState.READY:
                self._pressed_at = self._clock()
                self.started.emit()
            case DictationState.LISTENING:
                self._pressed_at = None
                self.ended.emit()
            case DictationState.RECOGNIZING:
                self.cancelled.emit()
            case DictationState.OFF:
                pass

    def _release(self) -> None:
        pressed, self._pressed_at = self._pressed_at, None
        held = pressed is not None and self._clock() - pressed >= HOLD_SECONDS
        if held and self._state is DictationState.LISTENING:
            self.ended.emit()


class DictatedText:
    """Writes what is recognized at the cursor of `field`; a later text replaces an earlier one
    until `end`.
    """

    def __init__(self, field: MessageField) -> None:
        self._field = field
        self._start: QTextCursor | None = None
        self._end = QTextCursor()

    def show(self, text: str) -> None:
        field = self._field
        field.finish_insertion()
        if self._start is None:
            cursor = field.textCursor()
            cursor.removeSelectedText()
            before = field.document().characterAt(cursor.position() - 1)
            if cursor.position() and before.isascii() and not before.isspace():
                cursor.insertText(" ")
            self._start = QTextCursor(cursor)
            self._start.setKeepPositionOnInsert(True)
            self._end = QTextCursor(cursor)
        writer = QTextCursor(self._start)
        writer.setKeepPositionOnInsert(False)
        writer.setPosition(self._start.position())
        writer.setPosition(self._end.position(), QTextCursor.MoveMode.KeepAnchor)
        writer.insertText(text)
        self._end = QTextCursor(writer)
        field.setTextCursor(writer)
        field.ensureCursorVisible()

    def end(self) -> None:
        """What is written stays; the next text is a new one."""
        self._start = None
