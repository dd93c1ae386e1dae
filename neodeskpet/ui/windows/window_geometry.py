"""The position of a window: remembered, and always on an existing screen, with its title bar. Its
least size and the width of its contents, which grow with the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QMargins, QObject, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QApplication, QLayout, QWidget

from neodeskpet.ui.desktop.work_area import work_area
from neodeskpet.ui.windows.window_events import WindowEvents

_SETTLED_MS = 400


def fit_to_screen(place: QRect, rooms: Sequence[QRect], frame: QMargins, least: QSize) -> QRect:
    """Return `place` (without its frame) moved and shrunk so that it fits with its `frame` into the
    available area of the screen that shows most of it; never smaller than `least`. The upper left
    corner has priority, since it has the title bar.
    """
    whole = place.marginsAdded(frame)
    room = max(rooms, key=lambda one: _area(one.intersected(whole)))
    if not room.intersects(whole):
        room = rooms[0]
    inner = room.marginsRemoved(frame)
    width = max(least.width(), min(place.width(), inner.width()))
    height = max(least.height(), min(place.height(), inner.height()))
    left = max(inner.left(), min(place.left(), inner.left() + inner.width() - width))
    top = max(inner.top(), min(place.top(), inner.top() + inner.height() - height))
    return QRect(left, top, width, height)


def bring_to_front(window: QWidget) -> None:
    """Show a window in front of the others, also a minimized one."""
    if window.isMinimized():
        window.showNormal()
    handle = window.windowHandle()
    if handle and not window.isVisible() and handle == QGuiApplication.focusWindow():
        # Qt's X11 plug-in reports a lost focus 400 ms late. A window that was hidden and is shown
        # again
        # sooner never lost it there, while widgets lose it at once: nothing would activate it
        # again. A new native window gets the focus.
        handle.destroy()
    window.show()
    window.raise_()
    window.activateWindow()


def _area(rect: QRect) -> int:
    return max(0, rect.width()) * max(0, rect.height())


def read_geometry(text: str) -> QRect:
    """Parse a stored geometry: "x,y,width,height"."""
    x, y, width, height = (int(part) for part in text.split(","))
    return QRect(x, y, width, height)


def fitted_geometry(window: QWidget, place: QRect) -> QRect:
    """Return `place` as far as the screens, the frame and the minimum size of `window` allow."""
    primary = QGuiApplication.primaryScreen()
    others = [screen for screen in QGuiApplication.screens() if screen is not primary]
    rooms = [work_area(screen) for screen in (primary, *others)]
    outer, inner = window.frameGeometry(), window.geometry()
    frame = QMargins(
        max(0, inner.left() - outer.left()),
        max(0, inner.top() - outer.top()),
        max(0, outer.right() - inner.right()),
        max(0, outer.bottom() - inner.bottom()),
    )
    return fit_to_screen(place, rooms, frame, window.minimumSize())


class WindowGeometryKeeper(QObject):
    """Keeps a window on the screens. Emits `geometry_changed(QRect)` once it stays in a place."""

    geometry_changed = Signal(QRect)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._was_shown = window.isVisible()
        self._rest = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._rest.timeout.connect(self._tell)
        self._framed = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._framed.timeout.connect(self.move_onto_screen)
        events = WindowEvents.for_window(window)
        events.subscribe([QEvent.Type.Move, QEvent.Type.Resize], lambda _event: self._rest.start())
        events.subscribe([QEvent.Type.Show], lambda _event: self._come())
        events.subscribe([QEvent.Type.Close], lambda _event: self._go())
        events.subscribe([QEvent.Type.DevicePixelRatioChange], lambda _event: self._framed.start())
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.screenAdded.connect(self._screens_changed)
            application.screenRemoved.connect(self._screens_changed)
        if self._was_shown:
            self._framed.start()  # its title bar may be above the screen

    def _screens_changed(self, _screen: object) -> None:
        self._framed.start()

    def restore(self, place: QRect) -> None:
        """Restore a remembered geometry, unless the window is already visible."""
        if not self._window.isVisible():
            self._window.setGeometry(fitted_geometry(self._window, place))

    def move_onto_screen(self) -> None:
        """Move the window onto the screens; the window manager handles a maximized one."""
        window = self._window
        if window.isVisible() and not (window.isMaximized() or window.isFullScreen()):
            place = fitted_geometry(window, window.geometry())
            if place != window.geometry():
                window.setGeometry(place)

    def _come(self) -> None:
        self._was_shown = True
        self.move_onto_screen()
        self._framed.start()  # the frame is added a little later

    def _go(self) -> None:
        self._rest.stop()
        self._tell()

    def _tell(self) -> None:
        """Emit the geometry; a window that was never shown has none."""
        if self._was_shown and not self._window.isMaximized():
            self.geometry_changed.emit(self._window.geometry())


_DEFAULT_TEXT_PX = 14
COLUMN_WIDTH, WIDE_COLUMN_WIDTH = 760, 960
"""Greatest width of the contents of a window, and of one with tiles, a table or a calendar."""
_CONTENT_CHANGES = (
    QEvent.Type.LayoutRequest,
    QEvent.Type.Resize,
    QEvent.Type.Show,
    QEvent.Type.StyleChange,
)


class CentredColumn(QObject):
    """Keeps the contents of a wide `window` in a column in its middle, at most `width` pixels wide
    at the default text size, so that neither lines of text nor fields cross a wide screen. Larger
    text gets a wider column. The window must have a least size of its own (`LeastSize`): Qt would
    count the margins of the column as needed, and the window couldn't be made narrow again.
    """

    def __init__(self, window: QWidget, width: int = COLUMN_WIDTH) -> None:
        super().__init__(window)
        self._window = window
        self._width = width
        self._margins: QMargins | None = None
        changes = (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.StyleChange)
        WindowEvents.for_window(window).subscribe(changes, self._apply)

    def _apply(self, _event: QEvent) -> None:
        layout = self._window.layout()
        if layout is None:
            return
        if self._margins is None:
            self._margins = layout.contentsMargins()
        usual = self._margins
        side = (self._window.width() - round(self._width * _text_share())) // 2
        left, right = max(usual.left(), side), max(usual.right(), side)
        margins = QMargins(left, usual.top(), right, usual.bottom())
        if margins != layout.contentsMargins():
            layout.setContentsMargins(margins)


class LeastSize(QObject):
    """Limits the size of `window` to what it shows. `least` is right for the default text size;
    with larger text the limit grows as far as the contents need, at most as the text does, and
    never beyond the screen. `page` returns the shown page of a stack that takes any size, if there
    is one; the width doesn't grow then.
    """

    def __init__(
        self,
        window: QWidget,
        least: tuple[int, int],
        page: Callable[[], QWidget | None] = lambda: None,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._least = QSize(*least)
        self._page = page
        window.setMinimumSize(self._least)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._apply)
        WindowEvents.for_window(window).subscribe(_CONTENT_CHANGES, self._expect)

    def _expect(self, _event: QEvent) -> None:
        if self._largest() != self._least or self._window.minimumSize() != self._least:
            self._later.start()

    def _largest(self) -> QSize:
        return (self._least.toSizeF() * _text_share()).toSize()

    def _apply(self) -> None:
        window, layout = self._window, self._window.layout()
        if layout is None or not window.isVisible():
            return
        needed = _needed(layout, window.width())
        page = self._page()
        inner = page.layout() if page is not None else None
        if page is not None and inner is not None:
            needed = QSize(0, needed.height() + _needed(inner, page.width()).height())
        frame = window.frameGeometry().size() - window.size()
        room = window.screen().availableGeometry().size() - frame
        limit = needed.boundedTo(self._largest()).boundedTo(room).expandedTo(self._least)
        if limit != window.minimumSize():
            window.setMinimumSize(limit)


def _needed(layout: QLayout, width: int) -> QSize:
    """Return the least size of the contents in a window or page of this width."""
    least = layout.totalMinimumSize()
    if layout.hasHeightForWidth():
        high = layout.totalMinimumHeightForWidth(max(width, least.width()))
        least.setHeight(max(least.height(), high))
    return least


def _text_share() -> float:
    return max(1.0, _text_px(QApplication.font()) / _DEFAULT_TEXT_PX)


def _text_px(font: QFont) -> int:
    return font.pixelSize() if font.pixelSize() > 0 else _DEFAULT_TEXT_PX
