"""What happens to a window, heard once for all who want to know.

A filter of Qt's that is written in Python is called for every event of its window, and each paint
of a reply that streams is one: the chat had five of them. So a window has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Self

from PySide6.QtCore import QEvent, QObject, Qt
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
