"""A `conversation.ports.Store` in plain dictionaries, which can be made to fail."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from neodeskpet.conversation.ports import TurnListener
from neodeskpet.core.attachments import Picture
from neodeskpet.core.background_tasks import Task, TaskOrphaned, update_task
from neodeskpet.core.blocks import (
    ConversationInfo,
    Deletion,
    Message,
    MessageHead,
    MessageState,
    Notice,
    ShownPath,
    ToolUse,
)
from neodeskpet.core.errors import MessageNotFound, StoreError, TurnInterrupted
from neodeskpet.core.turn.turn_events import (
    ModelChosen,
    RoundStarted,
    TurnEnded,
    TurnEvent,
    TurnStarted,
    UsageChanged,
)
from neodeskpet.storage.message_tree import MessageTree
from tests.support.playbook import Mirror


class MemoryStore:
    """`failing` names the methods that raise StoreError, `background` holds the tasks (it is a
    `conversation.ports.TaskStore` too).
    """

    def __init__(self) -> None:
        self.background: dict[str, Task] = {}
        self.failing: set[str] = set()
        self.pictures: dict[str, bytes] = {}
        self.flushes = 0
        self.closed = False
        self._infos: dict[str, ConversationInfo] = {}
        self._trees: dict[str, MessageTree] = {}
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
        self._trees[info.id] = MessageTree()
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
        for node in self._trees.pop(conversation_id).nodes():
            del self._messages[node.id]

    async def heads(self, conversation_id: str) -> list[MessageHead]:
        self._check("heads")
        tree = self._trees[conversation_id]
        return [self._head(tree, one) for one in tree.path()]

    def _head(self, tree: MessageTree, message_id: str) -> MessageHead:
        m, versions = self._messages[message_id], tree.versions(message_id)
        at = versions.index(message_id) + 1
        return MessageHead(m.id, m.role, len(m.text), len(m.blocks), at, len(versions))

    async def path(self, conversation_id: str, after: str = "") -> ShownPath:
        self._check("path")
        tree = self._trees[conversation_id]
        return ShownPath(after, [self._head(tree, one) for one in tree.path(after)])

    async def messages(self, ids: Sequence[str]) -> list[Message]:
        self._check("messages")
        return [self._messages[known] for known in ids if known in self._messages]

    async def history(
        self, conversation_id: str, limit: int = 200, *, until: str = ""
    ) -> list[Message]:
        self._check("history")
        tree = self._trees[conversation_id]
        ids = tree.path_to(until) if until else tree.path()
        return [self._messages[known] for known in ids[-limit:]]

    async def add_message(
        self, conversation_id: str, message: Message, pictures: Sequence[Picture] = ()
    ) -> None:
        self._check("add_message")
        self._put(conversation_id, message, pictures)
        tree = self._trees[conversation_id]
        tree.add(message.id, ["", *tree.path()][-1])

    def _put(self, conversation_id: str, message: Message, pictures: Sequence[Picture]) -> None:
        self.pictures.update({picture.digest: picture.data for picture in pictures})
        self._messages[message.id] = message
        for block in message.blocks:
            if isinstance(block, ToolUse) and block.task:
                self._mark_told(block.task)
        info = self._infos[conversation_id]
        self._infos[conversation_id] = replace(info, updated=float(next(self._numbers)))

    async def add_version(
        self,
        conversation_id: str,
        message: Message,
        pictures: Sequence[Picture] = (),
        *,
        beside: str,
    ) -> ShownPath:
        self._check("add_version")
        tree = self._tree(conversation_id, beside)
        self._put(conversation_id, message, pictures)
        parent = tree.parent(beside)
        tree.add(message.id, parent)
        return self._below(tree, parent)

    async def show_message(self, conversation_id: str, message_id: str) -> ShownPath:
        self._check("show_message")
        tree = self._tree(conversation_id, message_id)
        tree.show_message(message_id)
        return self._below(tree, "")

    async def step_version(self, conversation_id: str, message_id: str, by: int) -> ShownPath:
        self._check("step_version")
        tree = self._tree(conversation_id, message_id)
        versions = tree.versions(message_id)
        at = versions.index(message_id) + by
        if not 0 <= at < len(versions):
            raise MessageNotFound
        tree.show_message(versions[at])
        return self._below(tree, tree.parent(message_id))

    async def delete_message(
        self, conversation_id: str, message_id: str, *, below: bool
    ) -> tuple[ShownPath, Deletion]:
        self._check("delete_message")
        tree = self._tree(conversation_id, message_id)
        parent = tree.parent(message_id)
        deletion = tree.delete_message(message_id, below=below)
        return self._below(tree, parent), deletion

    async def restore_messages(self, conversation_id: str, deletion: Deletion) -> ShownPath:
        self._check("restore_messages")
        tree = self._trees[conversation_id]
        tree.restore_messages(deletion)
        return self._below(tree, deletion.nodes[0].parent)

    async def copy_conversation(self, message_id: str, title: str) -> ConversationInfo:
        self._check("copy_conversation")
        tree = next((one for one in self._trees.values() if message_id in one), None)
        if tree is None:
            raise MessageNotFound
        made = await self.create_conversation(title)
        for one in tree.path_to(message_id):
            copied = replace(self._messages[one], id=f"{one} in {made.id}")
            await self.add_message(made.id, copied)
        return made

    def _tree(self, conversation_id: str, message_id: str) -> MessageTree:
        tree = self._trees[conversation_id]
        if message_id not in tree:
            raise MessageNotFound
        return tree

    def _below(self, tree: MessageTree, after: str) -> ShownPath:
        return ShownPath(after, [self._head(tree, one) for one in tree.path(after)])

    async def add_task(self, task: Task) -> Task:
        self._check("add_task")
        return await self.update_task(replace(task, id=f"t{len(self.background) + 1}"))

    async def update_task(self, task: Task) -> Task:
        self._check("keep_task")
        self.background[task.id] = task
        return task

    async def tasks(self, limit: int) -> list[Task]:
        self._check("tasks")
        return [one for one in reversed(self.background.values()) if not one.running][:limit]

    async def unreported_tasks(self, conversation_id: str) -> list[Task]:
        self._check("untold")
        kept = [one for one in self.background.values() if not one.running and not one.reported]
        return [one for one in kept if one.conversation == conversation_id]

    async def tell_task(self, task_id: str) -> None:
        self._mark_told(task_id)

    def _mark_told(self, task_id: str) -> None:
        self.background[task_id] = replace(self.background[task_id], reported=True)

    async def delete_tasks(self, task_ids: Sequence[str]) -> None:
        self._check("drop_tasks")
        for task_id in task_ids:
            del self.background[task_id]

    async def mark_tasks_lost(self, now: float) -> list[Task]:
        running = [one for one in self.background.values() if one.running]
        return [await self.update_task(update_task(one, TaskOrphaned(), now)) for one in running]

    async def store_pictures(self, pictures: Sequence[Picture]) -> None:
        self.pictures.update({picture.digest: picture.data for picture in pictures})

    async def picture(self, digest: str) -> bytes | None:
        return self.pictures.get(digest)

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

    def journal(self, message_id: str) -> TurnListener:
        return _Journal(self, message_id)

    async def flush(self) -> None:
        self._check("flush")
        self.flushes += 1

    async def aclose(self) -> None:
        self.closed = True


class _Journal:
    """Writes a message from the events of its turn, and checks that they fit together."""

    def __init__(self, store: MemoryStore, message_id: str) -> None:
        self._store = store
        self._id = message_id
        self._mirror = Mirror(store.message(message_id).blocks)

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        assert message_id == self._id
        self._mirror.on_turn_event(message_id, event)
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
