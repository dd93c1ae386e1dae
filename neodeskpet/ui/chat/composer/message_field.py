"""The text field of the composer.

The caret blinks while the user types and stops some seconds after the last key: each blink repaints
and would keep the CPU awake all day.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from PySide6.QtCore import QMimeData, QObject, Qt, QTextBoundaryFinder, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QClipboard,
    QContextMenuEvent,
    QDragEnterEvent,
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QApplication, QFrame, QTextEdit, QWidget

from neodeskpet.ui.chat.composer.dropped_content import is_attachable
from neodeskpet.ui.chat.composer.sent_messages import InputHistory

_BLINK_STOPS_MS = 10_000


class CaretBlinkTimer(QObject):
    """Call `restart` for each key; the caret stops blinking `still_ms` after the last one. All
    fields share the application's flash time.
    """

    _put_aside: ClassVar[int] = 0
    """The flash time while blinking is stopped; 0 if the desktop doesn't let carets blink."""

    def __init__(self, parent: QObject, still_ms: int = _BLINK_STOPS_MS) -> None:
        super().__init__(parent)
        self._calm = QTimer(self, singleShot=True, interval=still_ms)
        self._calm.timeout.connect(self._stand_still)

    def restart(self) -> None:
        if QApplication.cursorFlashTime() == 0 and CaretBlinkTimer._put_aside:
            QApplication.setCursorFlashTime(CaretBlinkTimer._put_aside)
        self._calm.start()

    def _stand_still(self) -> None:
        CaretBlinkTimer._put_aside = QApplication.cursorFlashTime() or CaretBlinkTimer._put_aside
        QApplication.setCursorFlashTime(0)


MAX_LINES = 8
LONG_PASTE = 100_000
"""Characters: a longer pasted text is offered as an attachment."""
MAX_DRAFT = 300_000
"""Maximum characters of a draft: up to this size a keystroke is painted without delay."""
_BLOCK = 3_000
_SHORT_BLOCK = 2_000
"""UTF-16 units: a shorter block isn't followed by a soft separator."""
_NICE_BREAK = 400
"""Number of characters before the end of a block in which a space or a punctuation mark is searched
to break after.
"""
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MODIFIERS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta)
SLICE_CHARS = 3_000
"""Characters inserted per event loop iteration."""
_LINE_END = 10
SOFT_BREAK = QTextFormat.Property.UserProperty.value + 1
_BREAK_CHARS = " \t，。！？；：、,.;:!?)]}）】」"


def _soft_break() -> QTextCharFormat:
    made = QTextCharFormat()
    made.setProperty(SOFT_BREAK, True)
    return made


def _is_soft_break(block: QTextBlock) -> bool:
    """Whether the block continues the paragraph of the block before it."""
    return block.charFormat().hasProperty(SOFT_BREAK)


def break_line(line: str) -> list[str]:
    """Return `line` in pieces of `_BLOCK` to twice as many characters (less what is cut to find a
    good place), cut after a space or a punctuation mark if possible, and never within a grapheme.
    """
    pieces = []
    start = 0
    for left in range(len(line) // _BLOCK, 1, -1):
        end = start + (len(line) - start) // left
        nice = max(line.rfind(mark, end - _NICE_BREAK, end) for mark in _BREAK_CHARS)
        cut = nice + 1 if nice >= 0 else _whole_character(line, start, end)
        pieces.append(line[start:cut])
        start = cut
    pieces.append(line[start:])
    return pieces


def _whole_character(line: str, start: int, end: int) -> int:
    """Return the last grapheme boundary before `end`; `end` if there is none."""
    near = max(start + 1, end - _NICE_BREAK)
    window = line[near : end + 1]
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, window)
    finder.setPosition(len(window[:-1].encode("utf-16-le")) // 2)
    found = finder.position() if finder.isAtBoundary() else finder.toPreviousBoundary()
    if found <= 0:
        return end
    return near + len(window.encode("utf-16-le")[: found * 2].decode("utf-16-le"))


@dataclass(frozen=True, slots=True)
class _InsertedLines:
    """Lines that are inserted together. `soft` tells whether a soft separator comes before the
    first one; None for the very first part.
    """

    lines: list[str]
    soft: bool | None


def split_slices(text: str) -> Iterator[Sequence[_InsertedLines]]:
    """Yield `text` in slices of about `SLICE_CHARS` characters, with long lines broken as the field
    stores them. A line end counts as `_LINE_END` characters.
    """
    parts: list[_InsertedLines] = []
    cost = 0
    for number, line in enumerate(text.split("\n")):
        for place, piece in enumerate(break_line(line)):
            if cost >= SLICE_CHARS:
                yield parts
                parts, cost = [], 0
            # Qt would give a line end after a soft separator the format of that one.
            if parts and parts[-1].soft is False and not place:
                parts[-1].lines.append(piece)
            else:
                parts.append(_InsertedLines([piece], bool(place) if number or place else None))
            cost += len(piece) + _LINE_END
    yield parts


def _write_parts(cursor: QTextCursor, parts: Sequence[_InsertedLines]) -> None:
    plain = QTextCharFormat()
    for part in parts:
        if part.soft is not None:
            cursor.insertBlock(QTextBlockFormat(), _soft_break() if part.soft else plain)
        cursor.insertText("\n".join(part.lines), plain)


def clean_text(text: str) -> str:
    """Return `text` with "\n" as its only line end, and without NULs and lone surrogates, which
    encoders refuse.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _ordinary_line_ends(text: str) -> str:
    """Return the text with Qt's separators replaced by ordinary ones."""
    return text.replace("\u2029", "\n").replace("\u2028", "\n").replace("\u00a0", " ")


@dataclass(frozen=True, slots=True)
class _Long:
    """A long insertion: undo steps after `first` up to `last`. `before` and `after` are the whole
    texts.
    """

    first: int
    last: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class _Stepping:
    """A long undo (`back`) or redo that runs until the document reaches step `end`; it then
    contains `text`, if known.
    """

    back: bool
    end: int
    text: str | None


class MessageField(QTextEdit):
    """The text field, for plain text only.

    Signals: `height_changed()`; `content_dropped(QMimeData)` for pasted or dropped pictures and
    files, with data valid during the call; `drag_entered()`; with `attachable`,
    `long_text_pasted(str)` in place of inserting a long pasted text.
    """

    entered = Signal()
    allowed = Signal()
    """Ctrl+Enter in the empty field: yes to a question of the companion."""
    content_dropped = Signal(QMimeData)
    long_text_pasted = Signal(str)
    drag_entered = Signal()
    escaped = Signal()
    height_changed = Signal()
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
        self.textChanged.connect(self._fit_block)
        self.attachable = False
        self._recall = InputHistory()
        self._composing = False
        self._kept: tuple[int, str] | None = None  # revision of the document, its text
        self._slices: Iterator[Sequence[_InsertedLines]] | None = None  # of a running insertion
        self._writer = QTextCursor()
        self._whole = ""  # the text when the insertion is complete
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._go_on)
        self._long: list[_Long] = []  # insertions that can be undone or redone
        self._stepping: _Stepping | None = None
        self.document().undoCommandAdded.connect(self._forget_redone)
        self._caret = CaretBlinkTimer(self)

    @property
    def is_composing(self) -> bool:
        """True while an input method shows uncommitted text."""
        return self._composing

    @property
    def history(self) -> InputHistory:
        return self._recall

    @property
    def is_inserting(self) -> bool:
        """Whether a long insertion, its undo or redo is running."""
        return self._slices is not None or self._stepping is not None

    @property
    def shrinks(self) -> bool:
        """Whether a long insertion is being undone. `textChanged` is emitted again at its end."""
        return self._stepping is not None and self._stepping.back

    def text(self) -> str:
        """Return the text, including the rest of a running insertion."""
        if self._slices is not None:
            return self._whole
        if self._stepping is not None and self._stepping.text is not None:
            return self._stepping.text
        revision = self.document().revision()
        if self._kept is None or self._kept[0] != revision:
            self._kept = (
                revision,
                clean_text(self._joined(self.document().toRawText(), self.document().begin())),
            )
        return self._kept[1]

    def replace_text(self, text: str) -> None:
        """Set the text with the cursor at its end; it can be undone."""
        self.finish_insertion()
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        self._write(cursor, text)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def set_text(self, text: str) -> None:
        """Set the text with the cursor at its end, and clear the undo history."""
        self._stop_insertion()
        self.replace_text(text)
        self.document().clearUndoRedoStacks()

    def insert(self, text: str) -> None:
        """Insert `text` at the cursor. A long text is inserted in slices, between which the event
        loop runs; undo and redo run through the slices in the same way.
        """
        self.finish_insertion()
        if len(text) <= SLICE_CHARS and text.count("\n") * _LINE_END <= SLICE_CHARS:
            self._write(self.textCursor(), text)
            self.ensureCursorVisible()
            return
        cursor = self.textCursor()
        before = self._text_of(0, cursor.selectionStart())
        behind = self._text_of(cursor.selectionEnd(), self.document().characterCount() - 1)
        whole = self.text()
        self._whole = before + _ordinary_line_ends(clean_text(text)) + behind
        self._writer, self._slices = cursor, split_slices(text)
        steps = self.document().availableUndoSteps()
        self._long = [
            *(one for one in self._long if one.last <= steps),
            _Long(steps, steps, whole, self._whole),
        ]
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        _write_parts(cursor, next(self._slices))
        cursor.endEditBlock()
        self._next.start()

    def _text_of(self, start: int, end: int) -> str:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return clean_text(self._joined(cursor.selectedText(), self.document().findBlock(start)))

    def _go_on(self) -> None:
        if self._stepping is not None:
            self._step()
        else:
            self._write_slice()

    def _write_slice(self) -> None:
        """Write the next slice, if there is one."""
        parts = next(self._slices, None) if self._slices is not None else None
        if parts is None:
            self._end_insertion()
            self.ensureCursorVisible()
            return
        self._writer.beginEditBlock()  # one undo step
        _write_parts(self._writer, parts)
        self._writer.endEditBlock()
        self._next.start()

    def finish_insertion(self) -> None:
        """Complete a running insertion, undo or redo at once: the user edits the text."""
        while self._stepping is not None:
            self._step()
        if self._slices is None:
            return
        self._writer.beginEditBlock()
        for parts in self._slices:
            _write_parts(self._writer, parts)
        self._writer.endEditBlock()
        self._end_insertion()

    def _end_insertion(self) -> None:
        self._stop_insertion()
        self._fit_block()
        if self._long:
            self._long[-1] = replace(self._long[-1], last=self.document().availableUndoSteps())

    def _stop_insertion(self) -> None:
        self._next.stop()
        self._slices, self._whole, self._stepping = None, "", None

    def _forget_redone(self) -> None:
        """Forget undone insertions that a new edit replaces."""
        if self._slices is None:
            steps = self.document().availableUndoSteps()
            self._long = [one for one in self._long if one.last < steps]

    def clear(self) -> None:
        self._stop_insertion()
        super().clear()

    def selectAll(self) -> None:
        self.finish_insertion()
        super().selectAll()

    def undo(self) -> None:
        self.finish_insertion()
        steps = self.document().availableUndoSteps()
        found = next((one for one in self._long if one.first < steps <= one.last), None)
        known = (steps - 1, None) if found is None else (found.first, found.before)
        self._start_steps(_Stepping(True, *known))

    def redo(self) -> None:
        self.finish_insertion()
        steps = self.document().availableUndoSteps()
        found = next((one for one in self._long if one.first <= steps < one.last), None)
        known = (steps + 1, None) if found is None else (found.last, found.after)
        self._start_steps(_Stepping(False, *known))

    def _start_steps(self, stepping: _Stepping) -> None:
        self._stepping = stepping
        self._step()

    def _step(self) -> None:
        """Undo or redo the next slice, and schedule the rest."""
        stepping, document = self._stepping, self.document()
        assert stepping is not None
        before = document.availableUndoSteps()
        super().undo() if stepping.back else super().redo()
        steps = document.availableUndoSteps()
        done = steps <= stepping.end if stepping.back else steps >= stepping.end
        if done or steps == before:
            self._stepping = None
            self._next.stop()
            if stepping.back and stepping.text is not None:
                self.textChanged.emit()
        else:
            self._next.start()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.finish_insertion()  # the menu can edit
        menu = self.createStandardContextMenu(event.pos())
        for name, step in (("edit-undo", self.undo), ("edit-redo", self.redo)):
            action = menu.findChild(QAction, name)
            if action is not None:
                action.triggered.disconnect()
                action.triggered.connect(step)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def createMimeDataFromSelection(self) -> QMimeData:
        cursor = self.textCursor()
        first = self.document().findBlock(cursor.selectionStart())
        data = QMimeData()
        data.setText(clean_text(self._joined(cursor.selectedText(), first)))
        return data

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.finish_insertion()
        self._caret.restart()
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in _MODIFIERS:
            self.finish_insertion()
        self._caret.restart()
        if self._composing and event.key() in _ENTER:
            event.accept()  # it ends the composition and inserts no line break
            return
        self._step_over_soft_separator(event)
        if self._composing or not self._handled(event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._caret.restart()
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        # The composition has ended by now; not every input method reports it.
        self._composing = False
        self.focused.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        super().dragEnterEvent(event)
        if is_attachable(event.mimeData()):
            self.drag_entered.emit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or is_attachable(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if is_attachable(source):
            self.content_dropped.emit(source)
            return
        text = source.text()
        written = self.document().characterCount()
        if self.attachable and (len(text) > LONG_PASTE or len(text) + written > MAX_DRAFT):
            self.long_text_pasted.emit(text)
            return
        self.insert(clean_text(text))

    def paste_selection(self) -> None:
        """Paste the X11 selection at the end of the text."""
        clipboard = QGuiApplication.clipboard()
        if clipboard.supportsSelection() and not self.isReadOnly():
            self.moveCursor(QTextCursor.MoveOperation.End)
            self.insertFromMimeData(clipboard.mimeData(QClipboard.Mode.Selection))
            self.setFocus()

    def line_height(self) -> int:
        return self.fontMetrics().lineSpacing()

    def preferred_height(self) -> int:
        """Return the height of the text, between one and MAX_LINES lines."""
        content = round(self.document().documentLayout().documentSize().height())
        line = self.line_height()
        return max(line, min(content, line * MAX_LINES))

    def _fit(self) -> None:
        if self.height() != self.preferred_height():
            self.setFixedHeight(self.preferred_height())
            self.height_changed.emit()

    def _joined(self, raw: str, block: QTextBlock) -> str:
        """Return `raw` (Qt's text, starting at `block`) without soft separators."""
        lines = raw.split("\u2029")
        number = block.blockNumber()
        parts = [lines[0]]
        for before, line in enumerate(lines[1:]):
            # Only a long block is followed by a soft separator; the first may be a part of one.
            long = before == 0 or len(lines[before]) >= _SHORT_BLOCK // 2  # UTF-16 units
            number += 1
            if not (long and _is_soft_break(self.document().findBlockByNumber(number))):
                parts.append("\n")
            parts.append(line)
        return _ordinary_line_ends("".join(parts))

    def _write(self, cursor: QTextCursor, text: str) -> None:
        """Replace the selection of `cursor` by `text` in one undo step."""
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        for parts in split_slices(text):
            _write_parts(cursor, parts)
        cursor.endEditBlock()

    def _fit_block(self) -> None:
        """Split or merge the current block if it has become too long or too short."""
        block = self.textCursor().block()
        if self._composing or self._slices is not None:
            return
        soft_end = block.length() < _SHORT_BLOCK and _is_soft_break(block.next())
        if not soft_end and (block.length() <= 2 * _BLOCK or len(block.text()) < 2 * _BLOCK):
            return
        cursor = QTextCursor(block)
        cursor.joinPreviousEditBlock()
        if soft_end:
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
            cursor.deleteChar()
            block = cursor.block()
            cursor.setPosition(block.position())
        for piece in break_line(block.text())[:-1]:
            units = len(piece.encode("utf-16-le", "surrogatepass")) // 2
            cursor.setPosition(cursor.position() + units)
            cursor.insertBlock(QTextBlockFormat(), _soft_break())
        cursor.endEditBlock()

    def _step_over_soft_separator(self, event: QKeyEvent) -> None:
        """Move the cursor over a soft separator, so that Backspace and Delete remove the character
        behind it.
        """
        cursor = self.textCursor()
        if cursor.hasSelection() or event.key() not in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete):
            return
        move = QTextCursor.MoveOperation
        if event.key() == Qt.Key.Key_Backspace:
            if cursor.atBlockStart() and _is_soft_break(cursor.block()):
                cursor.movePosition(move.PreviousCharacter)
                self.setTextCursor(cursor)
        elif cursor.atBlockEnd() and _is_soft_break(cursor.block().next()):
            cursor.movePosition(move.NextCharacter)
            self.setTextCursor(cursor)

    def _handled(self, event: QKeyEvent) -> bool:
        key = event.key()
        if key in _ENTER:
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.insert("\n")
            elif event.modifiers() & Qt.KeyboardModifier.ControlModifier and not self.text():
                self.allowed.emit()
            else:
                self.entered.emit()
            return True
        if event.matches(QKeySequence.StandardKey.Undo):
            self.undo()
            return True
        if event.matches(QKeySequence.StandardKey.Redo):
            self.redo()
            return True
        if key == Qt.Key.Key_Escape:
            self.escaped.emit()
            return True
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not event.modifiers():
            step = self._recall.older if key == Qt.Key.Key_Up else self._recall.newer
            recalled = step(self.text())
            if recalled is not None:
                self.replace_text(recalled)
                return True
        return False
