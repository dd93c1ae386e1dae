"""The field in which a person writes: it grows, and hands on pictures that are put into it."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import (
    QClipboard,
    QDragEnterEvent,
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from neodeskpet.ui.chat.compose.caret import Caret
from neodeskpet.ui.chat.compose.offers import is_attachable
from neodeskpet.ui.chat.compose.recall import Recall

MAX_LINES = 8
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def clean(text: str) -> str:
    """`text` with one kind of line end, without what no encoder takes: NULs, lone surrogates."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Field(QTextEdit):
    """The text field. Plain text only; `fitted` tells that its wanted height changed, `offered`
    that pictures or files were pasted or dropped (QMimeData, for the time of the call), `hovered`
    that some are dragged over it.
    """

    entered = Signal()
    offered = Signal(QMimeData)
    hovered = Signal()
    escaped = Signal()
    fitted = Signal()
    focused = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._recall = Recall()
        self._composing = False
        self._caret = Caret(self)

    @property
    def composing(self) -> bool:
        """True while an input method shows text that isn't committed."""
        return self._composing

    @property
    def recall(self) -> Recall:
        return self._recall

    def text(self) -> str:
        return clean(self.toPlainText())

    def take(self, text: str) -> None:
        """Show `text` with the cursor at its end; undo leads back."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._caret.stir()
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._caret.stir()
        if self._composing and event.key() in _ENTER:
            event.accept()  # it ends the composition, it is no line break
        elif self._composing or not self._handled(event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._caret.stir()
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        # What was composed is committed or dropped by now; not every input method says so.
        self._composing = False
        self.focused.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        super().dragEnterEvent(event)
        if is_attachable(event.mimeData()):
            self.hovered.emit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or is_attachable(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if is_attachable(source):
            self.offered.emit(source)
            return
        self.textCursor().insertText(clean(source.text()))
        self.ensureCursorVisible()

    def paste_selection(self) -> None:
        """What is selected anywhere (X11), at the end."""
        clipboard = QGuiApplication.clipboard()
        if clipboard.supportsSelection() and not self.isReadOnly():
            self.moveCursor(QTextCursor.MoveOperation.End)
            self.insertFromMimeData(clipboard.mimeData(QClipboard.Mode.Selection))
            self.setFocus()

    def line_height(self) -> int:
        return self.fontMetrics().lineSpacing()

    def wanted_height(self) -> int:
        """One to MAX_LINES lines."""
        content = round(self.document().documentLayout().documentSize().height())
        line = self.line_height()
        return max(line, min(content, line * MAX_LINES))

    def _fit(self) -> None:
        if self.height() != self.wanted_height():
            self.setFixedHeight(self.wanted_height())
            self.fitted.emit()

    def _handled(self, event: QKeyEvent) -> bool:
        key = event.key()
        if key in _ENTER:
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.textCursor().insertText("\n")
                self.ensureCursorVisible()
            else:
                self.entered.emit()
            return True
        if key == Qt.Key.Key_Escape:
            self.escaped.emit()
            return True
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not event.modifiers():
            step = self._recall.older if key == Qt.Key.Key_Up else self._recall.newer
            recalled = step(self.text())
            if recalled is not None:
                self.take(recalled)
                return True
        return False
