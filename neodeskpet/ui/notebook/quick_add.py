"""One field that adds a timer, an appointment, a to-do or a note, and shows how it understands the
text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton

from neodeskpet.core.schedule.quick_entry import EntryKind, QuickEntry, read_entry
from neodeskpet.core.schedule.rule import runs_after
from neodeskpet.language import tr
from neodeskpet.notebook.appointment import LOCAL_ZONE
from neodeskpet.notebook.todos import MOST_TODO_CHARACTERS
from neodeskpet.ui.formatting import due_words, format_due_time
from neodeskpet.ui.icons import icon
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, scale_to_font
from neodeskpet.ui.widgets.labels import button_text, set_tooltip

_READ_MS = 120
_HEIGHT = 36
_ICONS = {
    EntryKind.TIMER: "later",
    EntryKind.APPOINTMENT: "calendar",
    EntryKind.TODO: "check",
    EntryKind.NOTE: "notebook",
}


class _Line(QLineEdit):
    """The line. `cleared`: Escape in a field with text; `left`: the arrow up; `switched`: Tab in a
    field with text; `focused(bool)`.
    """

    cleared = Signal()
    focused = Signal(bool)
    left = Signal()
    switched = Signal()

    def focusNextPrevChild(self, forwards: bool) -> bool:
        if forwards and self.text().strip():
            self.switched.emit()
            return True
        return super().focusNextPrevChild(forwards)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.cleared.emit()
        elif event.key() == Qt.Key.Key_Up:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class QuickAdd(QFrame):
    """The field with its button. Enter calls `add` with the entry. The button at the end shows how
    the text is understood; pressing it, or Tab in the field, changes the kind. Escape clears
    the field. `left`: the arrow up, which goes to the list above.
    """

    left = Signal()

    def __init__(
        self,
        theme: Theme,
        now: Callable[[], float],
        work: TaskRunner,
        add: Callable[[QuickEntry], Awaitable[None]],
    ) -> None:
        super().__init__()
        self.setObjectName("quickAdd")
        self._theme = theme
        self._now = now
        self._work = work
        self._add = add
        self._kind: EntryKind | None = None
        self._usual: EntryKind | None = None
        self._entry: QuickEntry | None = None
        self.field = _Line()
        self.field.setMaxLength(MOST_TODO_CHARACTERS)
        self.field.setFrame(False)
        self.pill = QPushButton()
        self.pill.setProperty("pill", True)
        self.pill.hide()
        self._pause = QTimer(self, singleShot=True, interval=_READ_MS)
        self._pause.timeout.connect(self._read_later)
        self.field.textChanged.connect(self._on_text)
        self.field.returnPressed.connect(lambda: self._work.start_once("quick add", self._enter))
        self.field.cleared.connect(self.clear)
        self.field.left.connect(self.left)
        self.field.focused.connect(self._mark_focus)
        self.pill.clicked.connect(self._change_kind)
        self.field.switched.connect(self._change_kind)
        line = QHBoxLayout(self)
        line.setContentsMargins(14, 0, 6, 0)
        line.addWidget(self.field, 1)
        line.addWidget(self.pill)
        self.set_theme(theme)
        self.retranslate()

    def set_usual_kind(self, kind: EntryKind | None) -> None:
        """Set the kind of a text without a time; None: a to-do."""
        self._usual = kind
        self.retranslate()
        self._on_text()

    def clear(self) -> None:
        self._kind = None
        self.field.clear()

    def _mark_focus(self, focused: bool) -> None:
        self.setProperty("focused", focused)
        self.style().polish(self)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        height = scale_to_font(_HEIGHT, theme)
        self.setFixedHeight(height)
        self.setStyleSheet(
            f"#quickAdd {{ background: {theme.surface}; border: 1px solid {theme.control_line};"
            f" border-radius: {height // 2}px; }}"
            f"#quickAdd[focused='true'] {{ border: {theme.focus_width}px solid {theme.accent}; }}"
            "#quickAdd QLineEdit { background: transparent; border: none; padding: 0; }"
            f"#quickAdd QPushButton {{ background: {theme.hover}; border: 1px solid {theme.line};"
            f" border-radius: {theme.control_radius}px; padding: 2px 10px; color: {theme.text};"
            f" font-size: {theme.small_px}px; min-height: 0; }}"
            f"#quickAdd QPushButton:focus {{ border: {theme.focus_width}px solid {theme.accent}; }}"
        )
        self._show()

    def retranslate(self) -> None:
        note = self._usual is EntryKind.NOTE
        hint = tr("Write a note…") if note else tr("“tea 5 min”, “milk”, “dentist Tue 4pm”")
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(tr("Add a timer, an appointment, a to-do or a note"))
        self._show()

    def _on_text(self) -> None:
        if self.field.text().strip():
            self._pause.start()
        else:
            self._pause.stop()
            self._work.cancel_task("quick read")
            self._kind = self._entry = None
            self._show()

    def _read_later(self) -> None:
        self._work.replace("quick read", self._read)

    async def _read(self) -> None:
        self._entry = await self._understand()
        self._show()

    async def _understand(self) -> QuickEntry:
        """Parse the text outside the window's thread: that may take longer than a key press may."""
        wanted = self._kind or self._usual
        return await asyncio.to_thread(
            read_entry, self.field.text(), self._now(), LOCAL_ZONE, wanted
        )

    def _change_kind(self) -> None:
        kinds = list(EntryKind)
        now = self._entry.kind if self._entry is not None else EntryKind.TODO
        self._kind = kinds[(kinds.index(now) + 1) % len(kinds)]
        self._read_later()

    async def _enter(self) -> None:
        if not self.field.text().strip():
            return
        entry = self._entry = await self._understand()
        self._show()
        if entry.fault is None:
            await self._add(entry)
            self.clear()

    def _show(self) -> None:
        entry = self._entry
        self.pill.setVisible(entry is not None)
        if entry is None:
            self.field.setAccessibleDescription("")
            return
        words = entry_words(entry, self._now())
        colour = QColor(self._theme.failed if entry.fault is not None else self._theme.muted)
        side = scale_to_font(14, self._theme)
        self.pill.setIcon(icon("warning" if entry.fault else _ICONS[entry.kind], colour, side))
        shown = self.pill.fontMetrics().elidedText(
            button_text(words), Qt.TextElideMode.ElideRight, max(80, self.width() // 2)
        )
        self.pill.setText(shown)
        self.pill.setAccessibleName(tr("Added as: {what}. Press to change.", what=words))
        self.field.setAccessibleDescription(tr("Enter: {action}", action=words))
        set_tooltip(self.pill, words)


def kind_text(kind: EntryKind) -> str:
    return {
        EntryKind.TIMER: tr("Timer"),
        EntryKind.APPOINTMENT: tr("Appointment"),
        EntryKind.TODO: tr("To-do"),
        EntryKind.NOTE: tr("Note"),
    }[kind]


def entry_words(entry: QuickEntry, now: float) -> str:
    """Return what would be added: "Timer · 16:28", "To-do · Fri, Dec 4"; or why nothing can be."""
    if entry.fault is not None:
        return tr(entry.fault.text, **entry.fault.params)
    when = ""
    if entry.kind is EntryKind.TIMER:
        when = format_due_time(now + entry.seconds, now)
    elif entry.due is not None:
        when = due_words(entry.due, now)
    elif entry.meant is not None:
        runs = runs_after(entry.meant.rule, now, LOCAL_ZONE, entry.meant.until)
        when = next((format_due_time(run, now) for run in runs), "")
    return " · ".join(filter(None, (kind_text(entry.kind), when)))
