"""Who listens to a chat, and how each hears everything whatever the others do."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Protocol

from neodeskpet.conversation.ports import Listener
from neodeskpet.core.blocks import Message
from neodeskpet.core.errors import KnownError
from neodeskpet.core.picture import Picture
from neodeskpet.core.records import ConversationInfo
from neodeskpet.core.turn_events import TurnEvent

_log = logging.getLogger(__name__)


class ChatListener(Listener, Protocol):
    """What the interface sees of a chat, beside the events of its turns."""

    def message_added(self, message: Message) -> None: ...

    def message_removed(self, message_id: str) -> None: ...

    def queue_changed(self, queue: Sequence[tuple[str, Sequence[Picture]]]) -> None:
        """What waits for the end of the turn: texts, each with its pictures."""
        ...

    def running_changed(self, running: bool) -> None: ...

    def conversation_changed(self, info: ConversationInfo) -> None:
        """Another conversation is open now, or its title changed."""
        ...

    def trouble_met(self, error: KnownError) -> None:
        """Something outside any message failed (the store, for instance)."""
        ...


class QuietListener:
    """Hears everything and does nothing: a base for those who care about a part."""

    def see(self, message_id: str, event: TurnEvent) -> None:
        return

    def message_added(self, message: Message) -> None:
        return

    def message_removed(self, message_id: str) -> None:
        return

    def queue_changed(self, queue: Sequence[tuple[str, Sequence[Picture]]]) -> None:
        return

    def running_changed(self, running: bool) -> None:
        return

    def conversation_changed(self, info: ConversationInfo) -> None:
        return

    def trouble_met(self, error: KnownError) -> None:
        return


class Fan:
    """Hands turn events to whoever listens to the chat at that moment."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = listeners

    def see(self, message_id: str, event: TurnEvent) -> None:
        for listener in list(self._listeners):
            try:
                listener.see(message_id, event)
            except Exception:  # noqa: BLE001 - one that fails must not blind the others
                _log.exception("A listener failed at %s", type(event).__name__)
