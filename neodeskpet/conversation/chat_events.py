"""The events of a chat, and the list of listeners that get them.

Each listener names the kinds of events it needs, because a reply has thousands of small events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from neodeskpet.core.attachments import AttachedContent
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
    """The messages shown below `path.after` ("": from the beginning) have changed. `messages` are
    the first of them with all blocks, and the one that a turn is writing, in its present state.
    `just_added`: they are new.
    """

    path: ShownPath
    messages: Sequence[Message]
    just_added: bool = False


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The inputs that wait for the end of the turn: texts with their attachments. `held`: Stop was
    pressed, so they wait until the user continues.
    """

    queue: Sequence[tuple[str, Sequence[AttachedContent]]]
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
    """The user's computer of this name is writing a reply in the open conversation; "" for none but
    this one.
    """

    computer: str


@dataclass(frozen=True, slots=True)
class ChatErrorOccurred:
    """An error outside of any message (in the store, for instance)."""

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
    """Receives the events of a chat on the event loop's thread; it must be quick. Its exceptions
    are logged and affect neither the turn nor other listeners.
    """

    def on_chat_event(self, event: ChatEvent) -> None: ...


class ListenerList:
    """Calls listeners in the order in which they were added. An exception in one doesn't affect the
    others.
    """

    def __init__(self) -> None:
        self._listeners: list[tuple[Observer[[ChatEvent]], tuple[type, ...]]] = []
        self._hearing: dict[
            type, Observers[[ChatEvent]]
        ] = {}  # by kind of event, filled on first use

    def add(self, listener: ChatListener, *kinds: type) -> None:
        """Add a listener for these kinds of events, of the chat or of a turn; for all if none is
        given.
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
