"""Timers and notes in a window: side by side where there is room, else one after the other.

What the companion's tools change, another window or another program, is shown at once (of another
program, when the window is looked at again).
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.notebook.notes import NoteStore
from neodeskpet.notebook.timers import TimerService
from neodeskpet.ui.commands import Command, bind_shortcuts
from neodeskpet.ui.notebook.notes_panel import NotesPanel
from neodeskpet.ui.notebook.timers_panel import TimersPanel
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font
from neodeskpet.ui.widgets.controls import SegmentedControl, controls_sheet
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.side_window import RefreshOnShow
from neodeskpet.ui.windows.window_geometry import bring_to_front

TITLE = N_("Timers and notes")
MIN_SIZE = (320, 360)
_NARROW = 600

COMMANDS = (
    Command("new", N_("New"), keys=("Ctrl+N",), hidden_in_palette=True),
    Command("find", N_("Find in the notes"), keys=("Ctrl+F",), hidden_in_palette=True),
)


class NotebookWindow(QWidget):
    """`done` tells what the person did: the app, its action, and about what."""

    action_done = Signal(str, str, str)

    def __init__(self, theme: Theme, book: TimerService, notes: NoteStore) -> None:
        super().__init__()
        self.setObjectName("notebook")
        self.setMinimumSize(*MIN_SIZE)
        self._theme = theme
        self._work = TaskRunner("notebook", failed=self._fail)
        self.undo = UndoBar(theme)
        self.timers = TimersPanel(theme, book, self._work, self.undo, self)
        self.notes = NotesPanel(theme, notes, self._work, self.undo, self)
        self.timers.action_done.connect(partial(self.action_done.emit, "timers"))
        self.notes.action_done.connect(partial(self.action_done.emit, "notes"))
        self.tabs = SegmentedControl([("timers", ""), ("notes", "")])
        self.tabs.chosen.connect(self._choose)
        self._between = QFrame()
        self._between.setFrameShape(QFrame.Shape.VLine)
        self._current = "timers"
        self._unlisten = (
            book.subscribe(lambda: self._refresh("timers")),
            notes.subscribe(lambda: self._refresh("notes")),
        )
        self._lay_out()
        RefreshOnShow(self, read=self._come, gone=self._go, back=self._back)
        bind_shortcuts(
            COMMANDS, self, {"new": lambda: self._pane().add.click(), "find": self._find}
        )
        self.set_theme(theme)
        self.retranslate()
        self.resize(720, 520)

    def present(self) -> None:
        """Show the window in front."""
        bring_to_front(self)

    async def aclose(self) -> None:
        """Before the window goes."""
        for end in self._unlisten:
            end()
        self.timers.set_ticking(False)
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        t = theme
        apply_window_theme(
            self,
            theme,
            controls_sheet(theme)
            + f"#notebook, #sheet, FormSheet, QStackedWidget {{ background: {t.window}; }}"
            f"QFrame[frameShape='5'] {{ color: {t.line}; }}",
        )
        self.undo.set_theme(theme)
        for part in (self.timers, self.notes):
            part.pane.set_theme(theme)
        self.timers.form.repeat.set_theme(theme)
        self._arrange()

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.tabs.set_options([("timers", tr("Timers")), ("notes", tr("Notes"))])
        self.tabs.set_value(self._current)
        self.tabs.set_name(tr(TITLE))
        self.undo.retranslate()
        self.timers.retranslate()
        self.notes.retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _come(self) -> None:
        self.timers.set_ticking(True)
        self._refresh("timers", "notes")

    def _go(self) -> None:
        self.timers.set_ticking(False)
        self.undo.clear()

    def _back(self) -> bool:
        if self.timers.pane.cancel_form() or self.notes.pane.cancel_form():
            return True
        searched = bool(self.notes.pane.search.text())
        self.notes.pane.search.clear()
        return searched

    def _lay_out(self) -> None:
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addWidget(self.timers.pane, 1)
        both.addWidget(self._between)
        both.addWidget(self.notes.pane, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(12)
        box.addWidget(self.tabs)
        box.addLayout(both, 1)
        box.addWidget(self.undo)

    def _arrange(self) -> None:
        narrow = self.width() < scale_to_font(_NARROW, self._theme)
        self.tabs.setVisible(narrow)
        self._between.setVisible(not narrow)
        for name, part in (("timers", self.timers), ("notes", self.notes)):
            part.pane.setVisible(not narrow or name == self._current)
            part.pane.heading.setVisible(not narrow)

    def _choose(self, name: str) -> None:
        self._current = name
        self._arrange()

    def _pane(self) -> ListPane:
        """The one that is worked in."""
        if self.tabs.isVisible():
            in_notes = self._current == "notes"
        else:
            in_notes = self.notes.pane.isAncestorOf(self.focusWidget() or self)
        return self.notes.pane if in_notes else self.timers.pane

    def _find(self) -> None:
        if self.tabs.isVisible():
            self.tabs.set_value("notes")
            self._choose("notes")
        self.notes.pane.search.setFocus()

    def _refresh(self, *names: str) -> None:
        if not self.isVisible():
            return  # it is read when it is shown
        for name in names:
            self._work.replace(name, self.timers.reload if name == "timers" else self.notes.reload)

    def _fail(self, error: KnownError) -> None:
        self.undo.show_text(format_error(error))
