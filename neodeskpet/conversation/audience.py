"""Who hears of a chat, and of what. A reply tells of thousands of pieces; most who listen wait for
its end, or for another conversation, and aren't called for each of them.
"""

from __future__ import annotations

from neodeskpet.conversation.chat_events import ChatEvent, ChatListener, TurnAdvanced
from neodeskpet.observers import Observer, Observers


class ListenerList:
    """Told in the order in which they came; what one of them raises harms nobody."""

    def __init__(self) -> None:
        self._listeners: list[tuple[Observer[[ChatEvent]], tuple[type, ...]]] = []
        self._hearing: dict[type, Observers[[ChatEvent]]] = {}  # by kind, as far as there were any

    def add(self, listener: ChatListener, *kinds: type) -> None:
        """Have it hear of these kinds of events, of the chat's or of a turn's; of all if none is
        named.
        """
        observer = Observer(listener.on_chat_event)
        self._listeners.append((observer, kinds))
        for kind, hearing in self._hearing.items():
            if not kinds or kind in kinds:
                hearing.subscribe_observer(observer)

    def notify(self, event: ChatEvent) -> None:
        kind = type(event.event if isinstance(event, TurnAdvanced) else event)
        hearing = self._hearing.get(kind)
        if hearing is None:
            hearing = self._hearing[kind] = Observers()
            for observer, kinds in self._listeners:
                if not kinds or kind in kinds:
                    hearing.subscribe_observer(observer)
        hearing.notify(event)
