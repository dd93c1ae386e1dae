"""Signs beside the figure: one while the microphone is open, one while something is due."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QShowEvent,
    QWindow,
)
from PySide6.QtWidgets import QWidget

from neodeskpet.language import tr
from neodeskpet.ui.desktop.desktop_windows import FLOATING_FLAGS, skip_taskbar_once_shown
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import set_tooltip

SIZE = 36
_ICON = 20
_DOT = 9
_MARGIN = 24
_INSET = 2
_DUE_SIZE = 20
_DUE_DOT = 12


def sign_position(figure: QRect | None, head: QRect, screen: QRect) -> QPoint:
    """The upper left corner of the sign of the microphone: at the shoulder of the figure, wholly on
    the screen; in the lower right corner of the screen while the figure is hidden.
    """
    if figure is None:
        return screen.bottomRight() - QPoint(SIZE + _MARGIN, SIZE + _MARGIN)
    return _inside(screen, QPoint(head.right(), head.bottom()), SIZE)


def due_sign_position(head: QRect, screen: QRect) -> QPoint:
    """The upper left corner of the sign for due entries: at the other side of the head, above."""
    return _inside(screen, QPoint(head.left(), head.top() + head.height() // 4), _DUE_SIZE)


def _inside(screen: QRect, centre: QPoint, size: int) -> QPoint:
    """Return the corner of a square of `size` around `centre`, moved onto the screen."""
    wanted = centre - QPoint(size // 2, size // 2)
    right, bottom = screen.right() + 1 - size, screen.bottom() + 1 - size
    return QPoint(
        max(screen.left(), min(wanted.x(), right)), max(screen.top(), min(wanted.y(), bottom))
    )


class FigureSign(QWidget):
    """A round window beside the figure, which reacts to clicks. It is cut to its outline where
    nothing blends windows.
    """

    clicked = Signal()

    def __init__(self, theme: Theme, size: int) -> None:
        super().__init__(None, FLOATING_FLAGS)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_MacAlwaysShowToolWindow)
        self.setFixedSize(size, size)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._theme = theme

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def stay_above(self, figure: QWindow) -> None:
        """Stay above the window of the figure, which window managers raise at a click."""
        self.winId()
        self.windowHandle().setTransientParent(figure)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        skip_taskbar_once_shown(self)

    def set_words(self, name: str, tooltip: str) -> None:
        self.setWindowTitle(name)
        self.setAccessibleName(name)
        set_tooltip(self, tooltip)

    def set_shape_mask(self, on: bool) -> None:
        """Whether the window is cut to the sign, where nothing blends windows."""
        if on:
            self.setMask(QRegion(self.rect(), QRegion.RegionType.Ellipse))
        else:
            self.clearMask()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()


class MicrophoneSign(FigureSign):
    """A microphone and a dot; a click closes the microphone."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, SIZE)
        self.retranslate()

    def retranslate(self) -> None:
        tooltip = tr("The microphone is open. Click to close it.")
        self.set_words(tr("The microphone is open"), tooltip)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.setBrush(QColor(theme.surface))
            body = QRectF(self.rect()).adjusted(_INSET, _INSET, -_INSET, -_INSET)
            painter.drawEllipse(body)
            microphone = pixmap("microphone", QColor(theme.text), _ICON, self.devicePixelRatioF())
            corner = (SIZE - _ICON) / 2
            painter.drawPixmap(QPointF(corner, corner), microphone)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent))
            painter.drawEllipse(QRectF(SIZE - _DOT - _INSET - 1, _INSET + 1, _DOT, _DOT))


class DueSign(FigureSign):
    """A dot in the colour of a warning, with a light edge; a click opens Today."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, _DUE_SIZE)

    def set_count(self, words: str) -> None:
        """Set the words that tell how much is due."""
        self.set_words(words, tr("{count}. Click to open Today.", count=words))

    def paintEvent(self, event: QPaintEvent) -> None:
        corner = (_DUE_SIZE - _DUE_DOT) / 2
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._theme.surface), 2))
            painter.setBrush(QColor(self._theme.asks))
            painter.drawEllipse(QRectF(corner, corner, _DUE_DOT, _DUE_DOT))
