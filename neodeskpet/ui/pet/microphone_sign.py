"""The sign beside the figure that is shown for as long as the microphone is open."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QWidget

from neodeskpet.language import tr
from neodeskpet.ui.desktop.desktop_windows import FLOATING_FLAGS
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import set_tooltip

SIZE = 36
_ICON = 20
_DOT = 9
_MARGIN = 24
_INSET = 2


def sign_position(figure: QRect | None, head: QRect, screen: QRect) -> QPoint:
    """Its upper left corner: at the shoulder of the figure, wholly on the screen; in the lower
    right corner of the screen while the figure is hidden.
    """
    if figure is None:
        return screen.bottomRight() - QPoint(SIZE + _MARGIN, SIZE + _MARGIN)
    wanted = QPoint(head.right() - SIZE // 2, head.bottom() - SIZE // 2)
    right, bottom = screen.right() + 1 - SIZE, screen.bottom() + 1 - SIZE
    return QPoint(
        max(screen.left(), min(wanted.x(), right)), max(screen.top(), min(wanted.y(), bottom))
    )


class MicrophoneSign(QWidget):
    """A round window with a microphone and a red dot; `clicked` closes the microphone. It is cut to
    its outline where nothing blends windows.
    """

    clicked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(None, FLOATING_FLAGS)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_MacAlwaysShowToolWindow)
        self.setFixedSize(SIZE, SIZE)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._theme = theme
        self.retranslate()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def retranslate(self) -> None:
        name = tr("The microphone is open")
        self.setWindowTitle(name)
        self.setAccessibleName(name)
        set_tooltip(self, tr("The microphone is open. Click to close it."))

    def set_shape_mask(self, on: bool) -> None:
        """Whether the window is cut to the sign, where nothing blends windows."""
        if on:
            self.setMask(QRegion(self.rect(), QRegion.RegionType.Ellipse))
        else:
            self.clearMask()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(theme.failed), 2))
            painter.setBrush(QColor(theme.surface))
            body = QRectF(self.rect()).adjusted(_INSET, _INSET, -_INSET, -_INSET)
            painter.drawEllipse(body)
            microphone = pixmap("microphone", QColor(theme.text), _ICON, self.devicePixelRatioF())
            corner = (SIZE - _ICON) / 2
            painter.drawPixmap(QPointF(corner, corner), microphone)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.failed))
            painter.drawEllipse(QRectF(SIZE - _DOT - _INSET - 1, _INSET + 1, _DOT, _DOT))
