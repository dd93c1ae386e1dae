"""A label of one line that never widens what it stands in."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class ElidedLabel(QLabel):
    """A label of one line that shows "…" where its text doesn't fit, and the whole as a tip."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(parent)
        self._whole = text
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
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
        self.setToolTip(self._whole if shown != self._whole else "")
