"""Returns free heap memory to the system after a long conversation: otherwise the heap would grow a
little with each one.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged, RunningChanged
from neodeskpet.platform.process_memory import trim_heap

_QUIET_MS = 300


class MemoryTrimmer(QObject):
    """A `ChatListener` that trims the heap when a turn has ended or a conversation was left and
    nothing follows at once.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._timer.timeout.connect(trim_heap)

    def trim_soon(self) -> None:
        """Trim soon, after a large operation such as loading a figure."""
        self._timer.start()

    def on_chat_event(self, event: ChatEvent) -> None:
        match event:
            case RunningChanged(running=True):
                self._timer.stop()
            case RunningChanged() | ConversationChanged():
                self.trim_soon()
            case _:
                pass
