"""Tells the bubbles what the user sees in the chat, which they don't show as well, and which areas
of the app's windows they avoid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QTimer, Slot

from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.windows.window_events import WindowEvents

_LEAST_VISIBLE = 24
"""Pixels of a message that must be visible, so that the user sees it."""
_WINDOW_CHANGES = (
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.WindowStateChange,
    QEvent.Type.Move,
    QEvent.Type.Resize,
    QEvent.Type.WindowActivate,
    QEvent.Type.WindowDeactivate,
)


class BubbleSurroundings(QObject):
    """A `ChatSight`. `presenters` returns the presenters of all companions. Whether the window of
    another program covers the chat is unknown.
    """

    def __init__(
        self,
        window: ChatWindow,
        view: ChatView,
        presenters: Callable[[], Sequence[CompanionPresenter]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._view = view
        self._presenters = presenters
        self._windows: list[QRect] = []
        self._changed = QTimer(self, singleShot=True, interval=0)
        self._changed.timeout.connect(self.update)
        window.program_question_changed.connect(self._changed.start)
        self._ends = (
            view.scroller.arranged.subscribe(self.update),
            WindowEvents.for_window(window).subscribe(_WINDOW_CHANGES, self._on_window_event),
        )

    def close(self) -> None:
        self._window.program_question_changed.disconnect(self._changed.start)
        self._changed.stop()
        for end in self._ends:
            end()

    def set_windows(self, windows: Sequence[QRect]) -> None:
        """Set the areas of the app's visible windows."""
        self._windows = list(windows)
        self.update()

    @property
    def is_shown(self) -> bool:
        return self._window.isVisible() and not self._window.isMinimized()

    def sees_message(self, message_id: str) -> bool:
        area = self._view.scroller.message_area(message_id) if self.is_shown else None
        if area is None:
            return False
        visible = area.intersected(self._view.scroller.viewport_area).height()
        return visible >= min(_LEAST_VISIBLE, area.height())

    def sees_end(self, message_id: str) -> bool:
        area = self._view.scroller.message_area(message_id) if self.is_shown else None
        return area is not None and 0 < area.bottom() <= self._view.scroller.viewport_area.bottom()

    def sees_card(self, message_id: str, index: int) -> bool:
        """Whether the whole card is visible, or the end of one that is higher than the view: its
        answers are there.
        """
        area = self._view.scroller.card_area(message_id, index) if self.is_shown else None
        if area is None:
            return False
        viewport = self._view.scroller.viewport_area
        starts = area.top() >= 0 or area.height() > viewport.height()
        return starts and 0 < area.bottom() <= viewport.bottom()

    def sees_program_question(self, key: str) -> bool:
        """Whether the card shows this question in the active window. Who works with a coding agent
        is mostly in another window, which may cover the chat: then the bubble asks as well.
        """
        shown, _ = self._window.program_question_area
        return shown == key and self.is_shown and self._window.isActiveWindow()

    @Slot()
    def update(self) -> None:
        """Update all bubbles after the chat was moved, scrolled, shown or hidden."""
        for presenter in self._presenters():
            presenter.update_seen_in_chat()
            presenter.set_avoided_areas(self._windows, self._kept(presenter))

    def _on_window_event(self, event: QEvent) -> None:
        self._changed.start()  # the window has its new state after this event

    def _kept(self, presenter: CompanionPresenter) -> list[QRect]:
        """Return the areas where the user writes or answers."""
        if not self.is_shown:
            return []
        composer = self._window.composer
        kept = [QRect(composer.mapToGlobal(composer.rect().topLeft()), composer.size())]
        question, place = self._window.program_question_area
        if question:
            kept.append(place)
        viewport = self._view.viewport()
        for message_id, index in presenter.open_calls:
            area = self._view.scroller.card_area(message_id, index)
            visible = area.intersected(viewport.rect()) if area is not None else QRect()
            if not visible.isEmpty():
                kept.append(QRect(viewport.mapToGlobal(visible.topLeft()), visible.size()))
        return kept
