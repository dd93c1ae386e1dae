"""The search bar of the open conversation."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, set_style_sheet
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip
from neodeskpet.ui.widgets.search_field import SearchField

_ANNOUNCE_MS = 400


class FindBar(QFrame):
    """Hidden until `open`.

    Signals: `text_changed(text)`, `step_requested(by)` to the next or previous match,
    `date_requested()`, `closed()`; `announced(words)` for screen readers.
    """

    text_changed = Signal(str)
    step_requested = Signal(int)
    date_requested = Signal()
    closed = Signal()
    announced = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._which = self._count = 0
        self._announce_timer = QTimer(self, singleShot=True, interval=_ANNOUNCE_MS)
        self._announce_timer.timeout.connect(lambda: self.announced.emit(self._words()))
        self.field = _FindField(theme)
        self.count = PlainLabel()
        self.count.setProperty("muted", True)
        self.before = QToolButton()
        self.after = QToolButton()
        self.date = QToolButton()
        self.close_button = QToolButton()
        self.field.textChanged.connect(self.text_changed)
        self.field.step_requested.connect(self.step_requested)
        self.field.escaped.connect(self.close_search)
        self.before.clicked.connect(lambda: self.step_requested.emit(-1))
        self.after.clicked.connect(lambda: self.step_requested.emit(1))
        self.date.clicked.connect(self.date_requested)
        self.close_button.clicked.connect(self.close_search)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 6, 8, 6)
        line.setSpacing(4)
        line.addWidget(self.field, 1)
        line.addWidget(self.count)
        for button in self._buttons():
            button.setProperty("quiet", True)
            button.setIconSize(QSize(18, 18))
            button.setFixedSize(28, 28)
            button.setStyleSheet("QToolButton { padding: 0; min-height: 0; }")
            line.addWidget(button)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def _buttons(self) -> tuple[QToolButton, ...]:
        return self.before, self.after, self.date, self.close_button

    def open(self, text: str = "") -> None:
        """Show the bar with the focus in it; with `text`, search for that."""
        self.show()
        if text:
            self.field.setText(text)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.text_changed.emit(self.field.text())

    def set_text(self, text: str) -> None:
        """Show a text that is already being searched for."""
        self.field.blockSignals(True)
        self.field.setText(text)
        self.field.blockSignals(False)
        self.show()

    def close_search(self) -> None:
        """End the search and hide the bar."""
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def show_position(self, which: int, count: int) -> None:
        """Show the number of the current match and the number of matches."""
        if (which, count) == (self._which, self._count) and self.count.text():
            return
        self._which, self._count = which, count
        self._show_count()
        if self.field.text().strip():
            self._announce_timer.start()

    def set_theme(self, theme: Theme) -> None:
        muted = QColor(theme.muted)
        names = ("chevron-up", "chevron-down", "calendar", "close")
        for button, name in zip(self._buttons(), names, strict=True):
            button.setIcon(icon(name, muted, 18))
        self.field.set_theme(theme)
        set_style_sheet(
            self,
            f"FindBar {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-radius: {theme.card_radius}px; }}",
        )

    def retranslate(self) -> None:
        self.field.set_placeholder(tr("Find in this conversation"))
        names = (
            tr("Previous match (Shift+Enter)"),
            tr("Next match (Enter)"),
            tr("Go to a date…"),
            tr("Close (Esc)"),
        )
        for button, name in zip(self._buttons(), names, strict=True):
            button.setAccessibleName(name)
            set_tooltip(button, name)
        self._show_count()

    def _show_count(self) -> None:
        looked_for = bool(self.field.text().strip())
        self.count.setText(f"{self._which}/{self._count}" if looked_for else "")
        self.count.setAccessibleName(self._words())
        for button in (self.before, self.after):
            button.setEnabled(self._count > 0)

    def _words(self) -> str:
        if not self._count:
            return tr("No matches")
        return tr("Match {which} of {count}", which=str(self._which), count=str(self._count))


class _FindField(SearchField):
    """The search field: Enter and F3 go to the next match, with Shift to the previous one; Esc
    closes the bar.
    """

    step_requested = Signal(int)
    escaped = Signal()

    def event(self, event: QEvent) -> bool:
        asks = event.type() is QEvent.Type.ShortcutOverride
        if asks and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_F3:
                self.step_requested.emit(-1 if back else 1)
            case Qt.Key.Key_Down:
                self.step_requested.emit(1)
            case Qt.Key.Key_Up:
                self.step_requested.emit(-1)
            case Qt.Key.Key_Escape:
                self.escaped.emit()
            case _:
                super().keyPressEvent(event)
