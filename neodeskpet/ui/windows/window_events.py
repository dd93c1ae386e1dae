"""Lets several listeners observe the events of a window through one event filter, and reports the
positions of the app's windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QWidget

EventHandler = Callable[[QEvent], object]


class WindowEvents(QObject):
    """The single event filter of a window; `for_window` returns it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._handlers: dict[QEvent.Type, list[EventHandler]] = {}
        window.installEventFilter(self)

    @classmethod
    def for_window(cls, window: QWidget) -> Self:
        known = window.findChild(cls, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return known or cls(window)

    def subscribe(self, kinds: Iterable[QEvent.Type], handler: EventHandler) -> Callable[[], None]:
        """Call `handler` with each event of these kinds; return a function that unsubscribes. The
        newest listener is called first, as with Qt's event filters; an event for which it returns
        True goes no further.
        """
        asked = list(kinds)
        for kind in asked:
            self._handlers.setdefault(kind, []).insert(0, handler)

        def end() -> None:
            for kind in asked:
                if handler in self._handlers[kind]:
                    self._handlers[kind].remove(handler)

        return end

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        handlers = self._handlers.get(event.type(), ())
        return any(handler(event) is True for handler in tuple(handlers))


_RESTED_MS = 300
_MOVING = (
    QEvent.Type.Move,
    QEvent.Type.Resize,
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.WindowStateChange,
)


@dataclass(frozen=True, slots=True)
class WindowFrame:
    """The position of a visible window, with its frame; `title_bar` is the frame's height
    above it.
    """

    area: QRect
    title_bar: int


class OwnWindowsTracker(QObject):
    """Reports the positions of the app's visible windows once they stopped moving: the watched
    ones, and open dialogs. On Wayland positions are unknown, and nothing is reported.
    """

    changed = Signal(list)
    """A list of `WindowFrame`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._windows: list[QWidget] = []
        self._reported: list[WindowFrame] = []
        self._known = not QGuiApplication.platformName().startswith("wayland")
        self._rest = QTimer(self, singleShot=True, interval=_RESTED_MS)
        self._rest.timeout.connect(self._report)
        application = QGuiApplication.instance()
        if self._known and isinstance(application, QGuiApplication):
            # Dialogs aren't watched, but take the focus when they open.
            application.focusWindowChanged.connect(self._wait_for_rest)

    def watch(self, window: QWidget) -> None:
        if self._known and window not in self._windows:
            self._windows.append(window)
            WindowEvents.for_window(window).subscribe(_MOVING, lambda _event: self._wait_for_rest())
            window.destroyed.connect(lambda: self._forget(window))
            if window.isVisible():
                self._wait_for_rest()

    def stop(self) -> None:
        self._rest.stop()
        self._known = False

    @Slot()
    def _wait_for_rest(self) -> None:
        if self._known:
            self._rest.start()

    def _forget(self, window: QWidget) -> None:
        self._windows = [one for one in self._windows if one is not window]

    def _report(self) -> None:
        if not self._known:
            return
        dialogs = [
            one
            for one in QApplication.topLevelWidgets()
            if isinstance(one, QDialog) and one not in self._windows
        ]
        frames = [
            WindowFrame(one.frameGeometry(), one.geometry().top() - one.frameGeometry().top())
            for one in (*self._windows, *dialogs)
            if one.isVisible() and not one.isMinimized()
        ]
        if frames != self._reported:
            self._reported = frames
            self.changed.emit(frames)
