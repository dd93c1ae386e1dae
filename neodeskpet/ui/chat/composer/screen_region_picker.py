"""Takes a screenshot: the screens are frozen, and the user drags a rectangle or clicks a window."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from PySide6.QtCore import (
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QCursor,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QScreen,
)
from PySide6.QtWidgets import QWidget

from neodeskpet.language import tr
from neodeskpet.tools.builtin.screen import CaptureArea
from neodeskpet.ui.desktop.desktop_windows import window_rects
from neodeskpet.ui.desktop.session import is_wayland, session_type

_HIDING_MS = 250
_MIN_SIDE = 8
_DIM_COLOR = QColor(20, 16, 32, 110)
_EDGE = QColor(255, 255, 255)


def can_capture_screen(platform: str, environ: Mapping[str, str]) -> bool:
    """Whether programs can capture the screen. Wayland doesn't allow it; programs under XWayland
    would get a black picture.
    """
    within = bool(environ.get("WAYLAND_DISPLAY")) and session_type(environ) != "x11"
    wayland = is_wayland(environ) or within
    return not (platform.startswith("wayland") or (platform == "xcb" and wayland))


class ScreenRegionPicker(QObject):
    """Lets the user choose a part of the screen. Enter takes the whole screen; Esc, the right
    button or a click without a drag cancels; in window mode a click takes the window. The window of
    `owner` is hidden meanwhile.

    Signals: `captured(QImage)`, `unavailable(words)` if the screen can't be captured,
    `cancelled()`.
    """

    captured = Signal(QImage)
    unavailable = Signal(str)
    cancelled = Signal()

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._area = CaptureArea.REGION
        self._was_open = False
        self.overlays: list[_ScreenOverlay] = []
        self._wait = QTimer(self, singleShot=True, interval=_HIDING_MS)
        self._wait.timeout.connect(self._freeze)
        self._grabs: list[_StripedCapture] = []
        self._grabbing = QTimer(self, interval=0)
        self._grabbing.timeout.connect(self._grab_on)

    def pick(self, area: CaptureArea = CaptureArea.REGION) -> None:
        """Start choosing, without blocking. SCREEN needs no choice: it takes the whole screen below
        the pointer.
        """
        if self._busy:
            return
        if not can_capture_screen(QGuiApplication.platformName(), os.environ):
            self.unavailable.emit(
                tr(
                    "On this desktop (Wayland) programs can't capture the screen. Take a "
                    "screenshot with the desktop's own tool and paste it here with Ctrl+V."
                )
            )
            return
        self._area = area
        self._was_open = self._owner.window().isVisible()
        self._owner.window().hide()
        self._wait.start()

    def stop(self) -> None:
        """Cancel the selection."""
        if self._busy:
            self._wait.stop()
            self._grabbing.stop()
            self._end()

    @property
    def _busy(self) -> bool:
        return self._wait.isActive() or self._grabbing.isActive() or bool(self.overlays)

    def _freeze(self) -> None:
        """Capture the screens after the window was hidden."""
        screens = QGuiApplication.screens()
        if self._area is CaptureArea.SCREEN:
            screens = [QGuiApplication.screenAt(QCursor.pos()) or screens[0]]
        self._grabs = [_StripedCapture(screen) for screen in screens]
        self._grabbing.start()

    def _grab_on(self) -> None:
        screens = QGuiApplication.screens()
        if any(grab.screen not in screens for grab in self._grabs):
            self.stop()  # a screen was just unplugged
            self.cancelled.emit()
            return
        for grab in self._grabs:
            if not grab.done:
                grab.step()
                return
        self._grabbing.stop()
        self._show()

    def _show(self) -> None:
        """Show the overlays to choose from; a whole screen is taken without them."""
        grabs, self._grabs = self._grabs, []
        if all(grab.empty for grab in grabs):
            self._end()
            self.unavailable.emit(tr("The screen can't be captured."))
            return
        if self._area is CaptureArea.SCREEN:
            self._choose(grabs[0].picture.toImage())
            return
        places = window_rects() if self._area is CaptureArea.WINDOW else []
        for grab in grabs:
            sheet = _ScreenOverlay(grab.screen, grab.picture, _rects_on_screen(grab.screen, places))
            sheet.chosen.connect(self._choose)
            sheet.cancelled.connect(self._cancel)
            self.overlays.append(sheet)
            sheet.show()
        self.overlays[0].activateWindow()
        self.overlays[0].setFocus()

    def _choose(self, image: QImage) -> None:
        self._end()
        self.captured.emit(image)

    def _cancel(self) -> None:
        self._end()
        self.cancelled.emit()

    def _end(self) -> None:
        sheets, self.overlays = self.overlays, []
        for sheet in sheets:
            sheet.hide()
            sheet.deleteLater()
        if not self._was_open:
            return
        window = self._owner.window()
        window.show()
        window.raise_()
        window.activateWindow()
        self._owner.setFocus()


_STRIPE = 120
"""Height of a stripe in logical pixels: a whole number of device pixels at any usual scale."""


class _StripedCapture:
    """Captures a screen in stripes. Qt can only do it in this thread, and a large screen at once
    would block it for a fifth of a second; moving content may be cut at a stripe's edge.
    """

    def __init__(self, screen: QScreen) -> None:
        ratio = screen.devicePixelRatio()
        self.screen = screen
        self.picture = QPixmap((QSizeF(screen.size()) * ratio).toSize())
        self.picture.setDevicePixelRatio(ratio)
        self.empty = True
        self._top = 0
        whole = (_STRIPE * ratio).is_integer()
        self._rows = _STRIPE if whole else screen.size().height()

    @property
    def done(self) -> bool:
        return self._top >= self.screen.size().height()

    def step(self) -> None:
        size = self.screen.size()
        rows = min(self._rows, size.height() - self._top)
        stripe = self.screen.grabWindow(0, 0, self._top, size.width(), rows)
        if not stripe.isNull():
            self.empty = False
            with QPainter(self.picture) as painter:
                painter.drawPixmap(0, self._top, stripe)
        self._top += rows


def _rects_on_screen(screen: QScreen, places: Sequence[QRect]) -> list[QRect]:
    """Return the parts of `places` (desktop pixels) on `screen`, in its logical pixels, relative to
    its corner.
    """
    ratio, corner = screen.devicePixelRatio(), screen.geometry().topLeft()
    whole = QRect(QPoint(), screen.size())
    found = []
    for place in places:
        at = (place.topLeft() - corner) / ratio
        part = QRect(at, place.size() / ratio).intersected(whole)
        if not part.isEmpty():
            found.append(part)
    return found


class _ScreenOverlay(QWidget):
    """Shows a frozen screen, dimmed except for the dragged rectangle or, with `windows` (topmost
    first), the window under the pointer.
    """

    chosen = Signal(QImage)
    cancelled = Signal()

    def __init__(self, screen: QScreen, picture: QPixmap, windows: Sequence[QRect] = ()) -> None:
        super().__init__(
            None,
            Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowStaysOnTopHint
            | Qt.WindowType.BypassWindowManagerHint,
        )
        self._picture = picture
        self._windows = windows
        self.setMouseTracking(bool(windows))
        self._start: QPoint | None = None
        self._rect = QRect()
        self.setScreen(screen)
        self.setGeometry(screen.geometry())
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self._words())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            self.cancelled.emit()
            return
        self._start = event.position().toPoint()
        self._rect = self._window_at(self._start)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        there = event.position().toPoint()
        if self._start is None:
            self._rect = self._window_at(there)
            self.update()
            return
        way = there - self._start
        if way.manhattanLength() >= _MIN_SIDE:
            corner = QPoint(min(self._start.x(), there.x()), min(self._start.y(), there.y()))
            self._rect = QRect(corner, QSize(abs(way.x()), abs(way.y())))
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._start is None:
            return
        self._start = None
        if min(self._rect.width(), self._rect.height()) < _MIN_SIDE:
            self.cancelled.emit()
            return
        ratio = self._picture.devicePixelRatio()
        whole = QRectF(QPointF(self._rect.topLeft()) * ratio, self._rect.size() * ratio)
        self.chosen.emit(self._picture.copy(whole.toRect()).toImage())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self._picture.toImage())

    def showEvent(self, event: object) -> None:
        self.grabKeyboard()

    def hideEvent(self, event: object) -> None:
        self.releaseKeyboard()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.drawPixmap(self.rect(), self._picture)
            painter.fillRect(self.rect(), _DIM_COLOR)
            if self._rect.isEmpty():
                self._paint_words(painter)
                return
            ratio = self._picture.devicePixelRatio()
            source = QRectF(QPointF(self._rect.topLeft()) * ratio, self._rect.size() * ratio)
            painter.drawPixmap(QRectF(self._rect), self._picture, source)
            painter.setPen(QPen(_EDGE, 2))
            painter.drawRect(self._rect)

    def _paint_words(self, painter: QPainter) -> None:
        font = painter.font()
        font.setPixelSize(18)
        painter.setFont(font)
        painter.setPen(_EDGE)
        top = self.rect().adjusted(0, 48, 0, 0)
        place = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        painter.drawText(top, place, self._words())

    def _words(self) -> str:
        if self._windows:
            return tr("Click on a window, or drag a rectangle. Esc cancels.")
        return tr("Drag a rectangle. Enter takes the whole screen, Esc cancels.")

    def _window_at(self, spot: QPoint) -> QRect:
        return next((place for place in self._windows if place.contains(spot)), QRect())
