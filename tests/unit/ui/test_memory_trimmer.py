"""When the memory of a conversation is returned to the system."""

from __future__ import annotations

from PySide6.QtCore import QTimer

from neodeskpet.conversation.chat_events import (
    ChatErrorOccurred,
    ConversationChanged,
    RunningChanged,
)
from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.storage.storage_errors import StoreFull
from neodeskpet.ui.memory_trimmer import MemoryTrimmer, trim_heap


def test_it_is_done_when_a_turn_has_ended_and_no_other_follows(qapp: object) -> None:
    tidying = MemoryTrimmer()
    timer = tidying.findChild(QTimer)
    assert timer is not None
    for event, waits in (
        (ChatErrorOccurred(StoreFull()), False),
        (RunningChanged(running=False), True),
        (RunningChanged(running=True), False),
        (ConversationChanged(ConversationInfo("a", "", 0.0, 0.0)), True),
    ):
        tidying.on_chat_event(event)
        assert timer.isActive() is waits
    timer.stop()
    tidying.trim_soon()
    assert timer.isActive()
    trim_heap()
