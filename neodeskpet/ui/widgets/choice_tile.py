"""The base of tiles that are chosen by a click, such as models and characters, and their grid."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from neodeskpet.ui.theme import Theme, scale_to_font


class ChoiceTile(QAbstractButton):
    """A tile of `size` pixels at the default font. A click only requests the choice: the owner
    checks the tile when the choice is in effect. Subclasses paint it.
    """

    def __init__(self, theme: Theme, size: tuple[int, int]) -> None:
        super().__init__()
        self._theme = theme
        self._size = size
        self._hovered = False
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedSize(self.sizeHint())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setFixedSize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(*(scale_to_font(side, self._theme) for side in self._size))

    def paint_focus(self, painter: QPainter, radius: float) -> None:
        """Paint the ring of the focus inside the frame of a checked tile, whose frame looks the
        same without the focus.
        """
        if self.hasFocus() and self.isChecked():
            inset = self._theme.focus_width + 1.5
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.text), 1))
            ring = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
            painter.drawRoundedRect(ring, radius - 2, radius - 2)

    def nextCheckState(self) -> None:
        """Do nothing: the owner checks the tile."""

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self.update()


class FlowGrid(QWidget):
    """Places widgets of equal size side by side, as many in a line as fit."""

    def __init__(self, gap: int = 10) -> None:
        super().__init__()
        self._gap = gap
        self._widgets: list[QWidget] = []

    def set_widgets(self, widgets: list[QWidget]) -> None:
        """Show these widgets; delete those that were shown and are not in the list."""
        for old in self._widgets:
            if old not in widgets:
                old.hide()
                old.deleteLater()
        self._widgets = widgets
        for widget in widgets:
            widget.setParent(self)
            widget.show()
        self._place()

    def resizeEvent(self, event: object) -> None:
        self._place()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:  # the size of the widgets has changed
            self._place()
        return super().event(event)

    def _place(self) -> None:
        if not self._widgets:
            self.setFixedHeight(0)
            return
        size = self._widgets[0].sizeHint()
        columns = max(1, (self.width() + self._gap) // (size.width() + self._gap))
        for number, widget in enumerate(self._widgets):
            row, column = divmod(number, columns)
            widget.move(column * (size.width() + self._gap), row * (size.height() + self._gap))
        rows = -(-len(self._widgets) // columns)
        self.setFixedHeight(rows * (size.height() + self._gap) - self._gap)
