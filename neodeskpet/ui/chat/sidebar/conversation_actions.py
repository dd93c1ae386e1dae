"""Actions on whole conversations in the list: rename, pin, archive, move, delete; and undo."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QObject

from neodeskpet.conversation.chat import Chat
from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.language import tr
from neodeskpet.ui.chat.sidebar.sidebar import Sidebar
from neodeskpet.ui.task_runner import CoroutineFactory, TaskRunner


class ConversationStore(Protocol):
    """What the actions need from the store. Coroutines raise StoreError."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def rename_conversation(
        self, conversation_id: str, title: str, *, instead_of: str | None = None
    ) -> bool: ...

    async def pin_conversation(self, conversation_id: str, pinned: bool) -> None: ...

    async def archive_conversations(self, ids: Sequence[str], archived: bool) -> None: ...

    async def set_folder(self, ids: Sequence[str], folder: str) -> None: ...

    async def discard_conversations(self, ids: Sequence[str]) -> None: ...

    async def restore_conversations(self, ids: Sequence[str]) -> None: ...


class ConversationActions(QObject):
    """`gone(id)` is called before a conversation is deleted."""

    def __init__(
        self,
        chat: Chat,
        store: ConversationStore,
        side: Sidebar,
        work: TaskRunner,
        gone: Callable[[str], None],
    ) -> None:
        super().__init__(side)
        self._chat = chat
        self._store = store
        self._side = side
        self._work = work
        self._gone = gone
        side.opened.connect(lambda wanted: work.start("open", partial(chat.open, wanted)))
        side.new_requested.connect(lambda: work.start("new", chat.open_new))
        side.renamed.connect(lambda i, t: self._change(partial(store.rename_conversation, i, t)))
        side.pin_requested.connect(
            lambda i, on: self._change(partial(store.pin_conversation, i, on))
        )
        side.archive_requested.connect(
            lambda ids, on: self._change(partial(self._archive, ids, archived=on))
        )
        side.move_requested.connect(
            lambda ids, folder: self._change(partial(self._move, ids, folder))
        )
        side.delete_requested.connect(lambda ids: work.start("delete", partial(self._delete, ids)))

    async def refresh(self) -> None:
        """Reload the list."""
        self._side.set_conversations(await self._store.conversations())
        if self._chat.conversation is not None:
            self._side.set_current(self._chat.conversation.id)

    def _change(self, work: CoroutineFactory) -> None:
        async def change() -> None:
            await work()
            await self.refresh()

        self._work.start("change", change)

    async def _archive(self, ids: Sequence[str], *, archived: bool) -> None:
        await self._store.archive_conversations(ids, archived)
        back = partial(self._store.archive_conversations, ids, not archived)
        count = str(len(ids))
        said = (
            tr("Archived: {count}", count=count)
            if archived
            else tr("Restored: {count}", count=count)
        )
        self._offer(said, back)

    async def _move(self, ids: Sequence[str], folder: str) -> None:
        known = {info.id: info.folder for info in await self._store.conversations()}
        before: dict[str, list[str]] = {}
        for one in ids:
            before.setdefault(known.get(one, ""), []).append(one)
        await self._store.set_folder(ids, folder)

        async def back() -> None:
            for name, moved in before.items():
                await self._store.set_folder(moved, name)

        said = tr("Moved to “{name}”.", name=folder) if folder else tr("Removed from the folder.")
        self._offer(said, back)

    async def _delete(self, ids: Sequence[str]) -> None:
        current = self._chat.conversation
        was_open = current is not None and current.id in ids
        if was_open:
            self._chat.stop()
            await self._chat.wait_idle()
        await self._store.discard_conversations(ids)
        if was_open:
            await self._chat.open()
        for one in ids:
            self._gone(one)
        await self.refresh()

        async def back() -> None:
            await self._store.restore_conversations(ids)
            if was_open and current is not None:
                await self._chat.open(current.id)

        count = str(len(ids))
        one = tr("The conversation was deleted.")
        said = one if len(ids) == 1 else tr("{count} conversations were deleted.", count=count)
        self._offer(said, back)

    def _offer(self, said: str, back: Callable[[], Coroutine[Any, Any, object]]) -> None:
        self._side.undo.show_undo(said, lambda: self._change(back))
