"""A `conversation.ports.Store` in plain dictionaries, with faults to order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from neodeskpet.conversation.ports import Listener
from neodeskpet.core.blocks import Message, MessageState, Notice
from neodeskpet.core.errors import StoreError, TurnInterrupted
from neodeskpet.core.picture import Picture
from neodeskpet.core.records import ConversationInfo, MessageHead
from neodeskpet.core.turn.turn_events import (
    ModelChosen,
    RoundStarted,
    TurnEnded,
    TurnEvent,
    TurnStarted,
    UsageChanged,
)
from tests.support.playbook import Mirror


class MemoryStore:
    """`failing` names the methods that raise StoreError. `replaced` holds what was taken out."""

    def __init__(self) -> None:
        self.failing: set[str] = set()
        self.pictures: dict[str, bytes] = {}
        self.replaced: dict[str, Message] = {}
        self.flushes = 0
        self.closed = False
        self._infos: dict[str, ConversationInfo] = {}
        self._order: dict[str, list[str]] = {}
        self._messages: dict[str, Message] = {}
        self._numbers = itertools.count(1)

    def _check(self, name: str) -> None:
        if name in self.failing:
            raise StoreError("The disk is full.")

    def message(self, message_id: str) -> Message:
        return self._messages[message_id]

    def put(self, message: Message) -> None:
        self._messages[message.id] = message

    async def conversations(self) -> list[ConversationInfo]:
        self._check("conversations")
        return list(self._infos.values())

    async def create_conversation(self, title: str = "") -> ConversationInfo:
        self._check("create_conversation")
        number = next(self._numbers)
        info = ConversationInfo(f"conversation {number}", title, float(number), float(number))
        self._infos[info.id] = info
        self._order[info.id] = []
        return info

    async def rename_conversation(
        self, conversation_id: str, title: str, *, instead_of: str | None = None
    ) -> bool:
        self._check("rename_conversation")
        info = self._infos[conversation_id]
        if instead_of not in (None, info.title):
            return False
        self._infos[conversation_id] = replace(info, title=title)
        return True

    async def delete_conversation(self, conversation_id: str) -> None:
        self._check("delete_conversation")
        del self._infos[conversation_id]
        for message_id in self._order.pop(conversation_id):
            del self._messages[message_id]

    async def heads(self, conversation_id: str) -> list[MessageHead]:
        self._check("heads")
        return [
            MessageHead(m.id, m.role, len(m.text), len(m.blocks))
            for m in await self.history(conversation_id)
        ]

    async def messages(self, ids: Sequence[str]) -> list[Message]:
        self._check("messages")
        return [self._messages[known] for known in ids if known in self._messages]

    async def history(self, conversation_id: str, limit: int = 200) -> list[Message]:
        self._check("history")
        return [self._messages[known] for known in self._order[conversation_id][-limit:]]

    async def add_message(
        self, conversation_id: str, message: Message, pictures: Sequence[Picture] = ()
    ) -> None:
        self._check("add_message")
        self.pictures.update({picture.digest: picture.data for picture in pictures})
        self._messages[message.id] = message
        self._order[conversation_id].append(message.id)
        info = self._infos[conversation_id]
        self._infos[conversation_id] = replace(info, updated=float(next(self._numbers)))

    async def keep_pictures(self, pictures: Sequence[Picture]) -> None:
        self.pictures.update({picture.digest: picture.data for picture in pictures})

    async def picture(self, digest: str) -> bytes | None:
        return self.pictures.get(digest)

    async def replace_message(self, message_id: str) -> None:
        self._check("replace_message")
        for ids in self._order.values():
            if message_id in ids:
                ids.remove(message_id)
        self.replaced[message_id] = self._messages.pop(message_id)

    async def interrupt_running(self) -> list[str]:
        self._check("interrupt_running")
        running = [m for m in self._messages.values() if m.state is MessageState.RUNNING]
        for message in running:
            last = message.blocks[-1].round if message.blocks else 0
            kind = TurnInterrupted
            notice = Notice(len(message.blocks), last, kind.code, actions=kind.actions)
            blocks = (*message.blocks, notice)
            self.put(replace(message, blocks=blocks, state=MessageState.INTERRUPTED))
        return [message.id for message in running]

    def journal(self, message_id: str) -> Listener:
        return _Journal(self, message_id)

    async def flush(self) -> None:
        self._check("flush")
        self.flushes += 1

    async def close(self) -> None:
        self.closed = True


class _Journal:
    """Writes a message from the events of its turn, and checks that they fit together."""

    def __init__(self, store: MemoryStore, message_id: str) -> None:
        self._store = store
        self._id = message_id
        self._mirror = Mirror(store.message(message_id).blocks)

    def see(self, message_id: str, event: TurnEvent) -> None:
        assert message_id == self._id
        self._mirror.see(message_id, event)
        message = replace(self._store.message(self._id), blocks=tuple(self._mirror.blocks))
        match event:
            case TurnStarted():
                message = replace(message, state=MessageState.RUNNING)
            case RoundStarted(round=number):
                message = replace(message, rounds=number + 1)
            case UsageChanged(usage=usage):
                message = replace(message, usage=usage)
            case ModelChosen(label=label):
                message = replace(message, model=label)
            case TurnEnded(state=state, at=at):
                message = replace(message, state=state, ended=at)
            case _:
                pass
        self._store.put(message)
