"""Shows a document as plain text with one passage highlighted: a passage that a reply was given."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QColor, QDesktopServices, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.documents.document import omission_words
from neodeskpet.language import format_error, tr
from neodeskpet.memory.knowledge.knowledge_types import (
    DocumentText,
    KnownPassage,
    SourceKind,
    passage_label,
)
from neodeskpet.ui.chat.notice_bars import OpenUrl
from neodeskpet.ui.formatting import printable, single_line
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.knowledge_window import KnowledgePort
from neodeskpet.ui.windows.side_window import RefreshOnShow
from neodeskpet.ui.windows.window_geometry import LeastSize, bring_to_front

TITLE = N_("Document")
MIN_SIZE = (360, 320)
CONTEXT_PASSAGES = 40
"""Passages shown before and after the highlighted one: a whole book would take seconds."""
_OPENABLE = frozenset(
    (
        ".pdf",
        ".docx",
        ".xlsx",
        ".pptx",
        ".odt",
        ".ods",
        ".odp",
        ".rtf",
        ".epub",
        ".txt",
        ".md",
        ".markdown",
        ".rst",
        ".csv",
        ".log",
        ".tex",
    )
)
"""Files that their default program shows and doesn't execute; for others the folder is opened."""


class DocumentWindow(QWidget):
    """`show_passage` brings the window to the front."""

    passage_shown = Signal()

    def __init__(
        self,
        theme: Theme,
        port: KnowledgePort,
        open_url: OpenUrl = QDesktopServices.openUrl,
    ) -> None:
        super().__init__()
        self.setObjectName("document")
        LeastSize(self, MIN_SIZE)
        self._theme = theme
        self._port = port
        self._open_url = open_url
        self._reading: DocumentText | None = None
        self._marked = ""
        self._first = self._end = 0
        self._work = TaskRunner("document", failed=self._fail)
        self.heading, self.location_label = PlainLabel(), PlainLabel()
        self.heading.setProperty("heading", True)
        self.heading.setWordWrap(True)
        self.location_label.setProperty("muted", True)
        self.location_label.setWordWrap(True)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setUndoRedoEnabled(False)
        self.earlier_button, self.later_button, self.open_button = (
            QPushButton(),
            QPushButton(),
            QPushButton(),
        )
        for button in (self.earlier_button, self.later_button):
            button.setProperty("quiet", True)
        self.undo = UndoBar(theme)
        self._lay_out()
        self.earlier_button.clicked.connect(lambda: self._widen(-CONTEXT_PASSAGES))
        self.later_button.clicked.connect(lambda: self._widen(CONTEXT_PASSAGES))
        self.open_button.clicked.connect(self._ask)
        RefreshOnShow(self)
        self.set_theme(theme)
        self.retranslate()
        self.resize(620, 640)

    def show_passage(self, file: str, passage: str) -> None:
        """Show this document at this passage."""
        self._work.replace("read", partial(self._read, file, passage))

    def present(self) -> None:
        bring_to_front(self)

    async def aclose(self) -> None:
        """Stop the window's tasks."""
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        apply_window_theme(self, theme, f"#document {{ background: {theme.window}; }}")
        self.undo.set_theme(theme)
        self._mark()

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.earlier_button.setText(tr("Show earlier text"))
        self.later_button.setText(tr("Show later text"))
        self.text.setAccessibleName(tr(TITLE))
        self.undo.retranslate()
        self._tell()

    def _lay_out(self) -> None:
        ways = QHBoxLayout()
        ways.setSpacing(6)
        ways.addWidget(self.earlier_button)
        ways.addWidget(self.later_button)
        ways.addStretch(1)
        ways.addWidget(self.open_button)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(8)
        box.addWidget(self.heading)
        box.addWidget(self.location_label)
        box.addWidget(self.text, 1)
        box.addLayout(ways)
        box.addWidget(self.undo)

    async def _read(self, file: str, passage: str) -> None:
        self._reading = await self._port.document_text(file)
        self._marked = passage
        self.undo.clear()
        at = self._at()
        count = len(self._reading.passages) if self._reading is not None else 0
        self._first, self._end = (
            max(0, at - CONTEXT_PASSAGES),
            min(count, at + CONTEXT_PASSAGES + 1),
        )
        self._fill()
        self.present()
        self.passage_shown.emit()

    def _at(self) -> int:
        """Return the index of the highlighted passage in the document."""
        ids = [one.id for one in self._reading.passages] if self._reading is not None else []
        return ids.index(self._marked) if self._marked in ids else 0

    def _widen(self, by: int) -> None:
        """Show more text without moving the visible part."""
        if self._reading is None:
            return
        before = self._first
        if by < 0:
            self._first = max(0, self._first + by)
        else:
            self._end = min(len(self._reading.passages), self._end + by)
        bar = self.text.verticalScrollBar()
        place, lines = bar.value(), self.text.blockCount()
        self._fill(scroll=False)
        grown = self.text.blockCount() - lines if self._first < before else 0
        bar.setValue(place + grown)

    def _shown(self) -> tuple[KnownPassage, ...]:
        return self._reading.passages[self._first : self._end] if self._reading is not None else ()

    def _fill(self, *, scroll: bool = True) -> None:
        self.text.setPlainText("".join(_plain_text(one.text) for one in self._shown()))
        self._mark()
        self._tell()
        cursor = self._cursor()
        if scroll and cursor is not None:
            cursor.setPosition(cursor.selectionStart())
            # So that the passage comes to the top.
            self.text.moveCursor(QTextCursor.MoveOperation.End)
            self.text.setTextCursor(cursor)
            self.text.ensureCursorVisible()

    def _cursor(self) -> QTextCursor | None:
        """Return a cursor that selects the highlighted passage."""
        start = 0
        for one in self._shown():
            text = _plain_text(one.text)
            if one.id == self._marked:
                cursor = self.text.textCursor()
                said = text.strip()
                begin = start + len(_utf16_length(text[: text.find(said)]))
                cursor.setPosition(begin)
                cursor.setPosition(
                    begin + len(_utf16_length(said)), QTextCursor.MoveMode.KeepAnchor
                )
                return cursor
            start += len(_utf16_length(text))
        return None

    def _mark(self) -> None:
        cursor = self._cursor()
        if cursor is None:
            self.text.setExtraSelections([])
            return
        mark = QTextEdit.ExtraSelection()
        form = QTextCharFormat()
        form.setBackground(QColor(self._theme.person))
        form.setProperty(QTextFormat.Property.FullWidthSelection, False)
        mark.cursor, mark.format = cursor, form
        self.text.setExtraSelections([mark])

    def _tell(self) -> None:
        reading = self._reading
        count = len(reading.passages) if reading is not None else 0
        self.earlier_button.setVisible(self._first > 0)
        self.later_button.setVisible(self._end < count)
        self.open_button.setVisible(reading is not None)
        if reading is None:
            self.heading.setText(tr("This document isn't in the knowledge base any more."))
            self.location_label.setText("")
            return
        self.heading.setText(single_line(printable(reading.file.name), 200))
        there = [one for one in reading.passages if one.id == self._marked]
        words = passage_label(reading.file.name, there[0]) if there else ""
        if not there:
            words = tr("The passage is no longer in the document: it was changed or forgotten.")
        gaps = omission_words(reading.file.omitted)
        self.location_label.setText(printable("\n".join(filter(None, (words, gaps)))))
        page = reading.kind is SourceKind.PAGE
        runs = not page and Path(reading.file.path).suffix.lower() not in _OPENABLE
        self.open_button.setText(tr("Open its folder…") if runs else tr("Open the original…"))

    def _ask(self) -> None:
        """Ask before opening, with the full path or address."""
        reading = self._reading
        if reading is None:
            return
        url = QUrl(reading.file.path)
        if reading.kind is not SourceKind.PAGE:
            path = Path(reading.file.path)
            url = QUrl.fromLocalFile(str(path if path.suffix.lower() in _OPENABLE else path.parent))
        shown = url.toLocalFile() if url.isLocalFile() else url.toString()
        self.undo.show_undo(
            tr("Open {place} with its default program?", place=shown),
            partial(self._open, url),
            tr("Open"),
        )

    def _open(self, url: QUrl) -> None:
        if not self._open_url(url):
            # After the bar has been hidden.
            self._work.start("tell", partial(self._tell_unopened))

    async def _tell_unopened(self) -> None:
        self.undo.show_text(tr("No program on this computer opened it."))

    def _fail(self, error: KnownError) -> None:
        self.undo.show_text(format_error(error))


def _plain_text(text: str) -> str:
    """Return the text for display: a page begins on its own line, and there are no control
    characters.
    """
    return printable(text.replace("\f", "\n\n").replace("\r", ""))


def _utf16_length(text: str) -> bytes:
    """Return bytes whose number is the length in UTF-16 units, which Qt counts."""
    return text.encode("utf-16-le", "surrogatepass")[::2]
