"""What a chat tells whoever listens to it: one event at a time, each heard apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from neodeskpet.core.blocks import Message
from neodeskpet.core.errors import KnownError
from neodeskpet.core.picture import Picture
from neodeskpet.core.records import ConversationInfo, ShownPath
from neodeskpet.core.turn.turn_events import TurnEvent


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
