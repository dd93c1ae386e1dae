"""The events of a chat, and the list of listeners that get them.

Each listener names the kinds of events it needs, because a reply has thousands of small events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from neodeskpet.core.attachments import Picture
from neodeskpet.core.blocks import ConversationInfo, Message, ShownPath
from neodeskpet.core.errors import KnownError
from neodeskpet.core.turn.turn_events import TurnEvent
from neodeskpet.platform.observers import Observer, Observers


@dataclass(frozen=True, slots=True)
class TurnAdvanced:
    """An event of the turn that writes the message `message_id`."""

    message_id: str
    event: TurnEvent


@dataclass(frozen=True, slots=True)
class MessageAdded:
    message: Message


@dataclass(frozen=True, slots=True)
class PathChanged:
    """Below the message `path.after` ("": from the beginning) others are shown now. `messages` are
    the first of them whole, and the one that a turn writes, as it is at this moment. `fresh`: they
    have just been said.
    """

    path: ShownPath
    messages: Sequence[Message]
    just_added: bool = False


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """What waits for the end of the turn: texts, each with its pictures. `held` once the person
    pressed Stop: it waits until they say that it may go on.
    """

    queue: Sequence[tuple[str, Sequence[Picture]]]
    held: bool = False


@dataclass(frozen=True, slots=True)
class RunningChanged:
    running: bool


@dataclass(frozen=True, slots=True)
class ConversationChanged:
    """Another conversation is open now, or got its first title."""

    info: ConversationInfo


@dataclass(frozen=True, slots=True)
class TitleChanged:
    """A conversation, open or not, got a better title."""

    info: ConversationInfo


@dataclass(frozen=True, slots=True)
class RemoteReplyChanged:
    """In the open conversation an answer is being written on the person's computer of this name;
    "": on none but this.
    """

    computer: str


@dataclass(frozen=True, slots=True)
class ChatErrorOccurred:
    """Something outside any message failed (the store, for instance)."""

    error: KnownError


ChatEvent = (
    TurnAdvanced
    | MessageAdded
    | PathChanged
    | QueueChanged
    | RunningChanged
    | ConversationChanged
    | TitleChanged
    | RemoteReplyChanged
    | ChatErrorOccurred
)


class ChatListener(Protocol):
    """Hears a chat on its loop's thread, and must be quick. What it raises is logged, and harms
    neither the turn nor the others.
    """

    def on_chat_event(self, event: ChatEvent) -> None: ...


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
