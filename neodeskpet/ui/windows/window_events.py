"""Lets several listeners observe the events of a window through one event filter, and reports where
the foremost window is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Self

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

EventHandler = Callable[[QEvent], object]


class WindowEvents(QObject):
    """The one filter of its window; `of` finds it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._hearing: dict[QEvent.Type, list[EventHandler]] = {}
        window.installEventFilter(self)

    @classmethod
    def for_window(cls, window: QWidget) -> Self:
        known = window.findChild(cls, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return known or cls(window)

    def subscribe(self, kinds: Iterable[QEvent.Type], hear: EventHandler) -> Callable[[], None]:
        """Call `hear` with each event of these kinds; returns what ends it. Who came last is asked
        first, as with filters of Qt's; an event for which it returns True goes no further.
        """
        asked = list(kinds)
        for kind in asked:
            self._hearing.setdefault(kind, []).insert(0, hear)

        def end() -> None:
            for kind in asked:
                if hear in self._hearing[kind]:
                    self._hearing[kind].remove(hear)

        return end

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        hearing = self._hearing.get(event.type(), ())
        return any(hear(event) is True for hear in tuple(hearing))


_RESTED_MS = 150
_MOVING = (
    QEvent.Type.Move,
    QEvent.Type.Resize,
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.WindowStateChange,
)


class ForegroundWindowTracker(QObject):
    """`moved(QRect)`: what that one covers now with its frame which was in front last, or the first
    that is to be seen; an empty rect while none is. On Wayland nobody knows where windows are;
    nothing is told there.
    """

    moved = Signal(QRect)

    def __init__(self, window: QWidget, parent: QObject | None = None) -> None:
        super().__init__(parent or window)
        self._windows: list[QWidget] = []
        self._told = QRect()
        self._rest = QTimer(self, singleShot=True, interval=_RESTED_MS)
        self._rest.timeout.connect(self._tell)
        self.watch(window)

    def watch(self, window: QWidget) -> None:
        """This one counts too."""
        if window in self._windows:
            return
        self._windows.append(window)
        if not QGuiApplication.platformName().startswith("wayland"):
            events = WindowEvents.for_window(window)
            events.subscribe(_MOVING, lambda _event: self._rest.start())
            events.subscribe([QEvent.Type.WindowActivate], lambda _event: self._put_first(window))

    def _put_first(self, window: QWidget) -> None:
        """The first in the list is in front."""
        self._windows = [window, *(one for one in self._windows if one is not window)]
        self._rest.start()

    def _tell(self) -> None:
        seen = [one for one in self._windows if one.isVisible() and not one.isMinimized()]
        place = seen[0].frameGeometry() if seen else QRect()
        if place != self._told:
            self._told = place
            self.moved.emit(place)
