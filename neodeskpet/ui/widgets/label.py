"""Labels and tips that show their text as it is.

Qt guesses from a text whether it is HTML, and what a model, a page or a file's name says may look
like it: `<img src=…>` would open a file. So nothing else shows text (`packaging/banned.py` sees to
it).
"""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


def tip(text: str) -> str:
    """What a tool tip has to be given for it to show `text` as it is."""
    return Qt.convertFromPlainText(text) if Qt.mightBeRichText(text) else text


def set_tip(widget: QWidget, text: str) -> None:
    """Shown while the pointer rests on `widget`."""
    widget.setToolTip(tip(text))


class PlainLabel(QLabel):
    """A label whose text is text."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)


class ElidedLabel(PlainLabel):
    """A label of one line that shows "…" where its text doesn't fit, and the whole as a tip."""

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

    def whole(self) -> str:
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
        set_tip(self, self._whole if shown != self._whole else "")
