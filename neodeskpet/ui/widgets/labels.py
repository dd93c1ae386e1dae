"""Labels, tooltips and wrapped buttons that show their text as it is.

Qt guesses whether a text is HTML, and the text of a model, a page or a file name may look like it:
`<img src=…>` would open a file. So no other widget shows such text (`packaging/banned.py` checks
it).
"""

from __future__ import annotations

import re

from PySide6.QtCore import QSize
from PySide6.QtGui import (
    QClipboard,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    Qt,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QWidget,
)

from neodeskpet.language import tr
from neodeskpet.ui.widgets.accessible import announce


def tooltip_text(text: str) -> str:
    """Return the tooltip that shows `text` as it is."""
    return Qt.convertFromPlainText(text) if Qt.mightBeRichText(text) else text


def button_text(text: str) -> str:
    """Return the text of a button or a menu that shows `text` as it is: "&" would be a mnemonic."""
    return text.replace("&", "&&")


def set_tooltip(widget: QWidget, text: str) -> None:
    """Set the tooltip of `widget`."""
    widget.setToolTip(tooltip_text(text))


_BREAK = "\u200b"
_EAST_ASIAN = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u2018-\u201d\u2026"
_LONG = re.compile(f"[^\\s{_EAST_ASIAN}]{{16,}}")
"""A long run of letters. Qt breaks Chinese, Japanese and Korean text by itself, and never before a
full stop or comma.
"""
_SEPARATOR = re.compile(r"(?<=[/\\._-])(?=[^/\\._-])|(?<=[^/\\._\s-]{24})(?=\S)")


def with_break_points(text: str) -> str:
    """Return `text` with break points: after the separators of long paths and addresses, and within
    longer words.
    """
    return _LONG.sub(lambda word: _SEPARATOR.sub(_BREAK, word[0]), text)


class PlainLabel(QLabel):
    """A label of plain text. Long paths wrap at their separators; a copy doesn't contain the break
    points.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def text(self) -> str:
        return super().text().replace(_BREAK, "")

    def setText(self, text: str) -> None:
        super().setText(with_break_points(text) if self.wordWrap() else text)

    def setWordWrap(self, on: bool) -> None:
        super().setWordWrap(on)
        self.setText(self.text())

    def selectedText(self) -> str:
        return super().selectedText().replace(_BREAK, "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.hasSelectedText():
            self._copy(QClipboard.Mode.Clipboard)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if self.hasSelectedText() and QGuiApplication.clipboard().supportsSelection():
            self._copy(QClipboard.Mode.Selection)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse:
            super().contextMenuEvent(event)
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(tr("Copy"), lambda: self._copy(QClipboard.Mode.Clipboard))
        copy.setEnabled(self.hasSelectedText())
        menu.addAction(tr("Select all"), self._select_all)
        menu.popup(event.globalPos())

    def _select_all(self) -> None:
        self.setSelection(0, len(QLabel.text(self)))

    def _copy(self, mode: QClipboard.Mode) -> None:
        QGuiApplication.clipboard().setText(self.selectedText(), mode)


class ErrorLabel(PlainLabel):
    """A label that tells what went wrong. It is hidden without a text. A screen reader says a new
    text as soon as it is shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("failed", True)
        self.setWordWrap(True)
        self.hide()

    def set_error(self, text: str) -> None:
        """Show this text; "" hides the label."""
        is_new = text != self.text()
        self.setText(text)
        self.setVisible(bool(text))
        if is_new and self.isVisible():
            announce(self, text, urgent=True)


class ElidedLabel(PlainLabel):
    """A label of one line that is elided with "…" if needed, with the full text as tooltip."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__("", parent)
        self._whole = text
        self._mode = mode
        self.setMinimumWidth(16)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        self._whole = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._elide()

    def full_text(self) -> str:
        return self._whole

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        margins = self.contentsMargins()
        width = metrics.horizontalAdvance(self._whole) + margins.left() + margins.right() + 2
        return QSize(width, max(super().sizeHint().height(), metrics.height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(16, self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room = self.contentsRect().width()
        shown = self.fontMetrics().elidedText(self._whole, self._mode, room)
        if shown != self.text():
            self.setText(shown)
        set_tooltip(self, self._whole if shown != self._whole else "")


class WrappingButton(QPushButton):
    """A button whose text is wrapped at spaces if it is wider than the button."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = text
        # A fixed height would be that of one line.
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setText(text)

    def text(self) -> str:
        return self._whole

    def setText(self, text: str) -> None:
        self._whole = text
        self._wrap()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return self._size(self._whole)

    def minimumSizeHint(self) -> QSize:
        words = self._lines(1)
        widest = max(words, key=self.fontMetrics().horizontalAdvance, default="")
        return QSize(self._size(widest).width(), self._size("").height())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._size("\n".join(self._lines(width - self._frame()))).height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._wrap()

    def _frame(self) -> int:
        """Return the width of what is beside the text: padding, border and icon."""
        return self._size(_WIDE).width() - self.fontMetrics().horizontalAdvance(_WIDE)

    def _size(self, text: str) -> QSize:
        """Return the size of the button with this text, whose lines are those of the text."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = text
        inner = self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, text or " ")
        if not self.icon().isNull():
            inner += QSize(self.iconSize().width() + 4, 0)
            inner.setHeight(max(inner.height(), self.iconSize().height()))
        kind = QStyle.ContentsType.CT_PushButton
        return self.style().sizeFromContents(kind, option, inner, self)

    def _wrap(self) -> None:
        shown = "\n".join(self._lines(self.width() - self._frame()))
        if shown != super().text():
            super().setText(shown)

    def _lines(self, width: int) -> list[str]:
        layout = QTextLayout(self._whole, self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WordWrap)
        layout.setTextOption(option)
        layout.beginLayout()
        lines = []
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width))
            lines.append(self._whole[line.textStart() :][: line.textLength()].strip())
        layout.endLayout()
        return lines


_WIDE = "x" * 200
"""A text that is wider than the least width of any button."""
