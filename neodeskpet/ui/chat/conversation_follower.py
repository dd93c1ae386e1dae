"""Controllers that follow the open conversation: they update its citations, the mark of its summary
and the switches of its menu.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.conversation.conversation_choices import RecallChoices
from neodeskpet.conversation.titles_and_summaries import StoredSummaries
from neodeskpet.core.blocks import MessageHead
from neodeskpet.core.errors import KnownError
from neodeskpet.language import tr
from neodeskpet.memory.knowledge.knowledge_types import KnowledgeHit
from neodeskpet.ui.chat.chat_commands import MEMORY_LABEL
from neodeskpet.ui.chat.items.item import Citation
from neodeskpet.ui.task_runner import TaskRunner

_log = logging.getLogger(__name__)


class ObservedMessages(Protocol):
    def subscribe(self, observer: Callable[[Sequence[str]], object]) -> Callable[[], None]:
        """Call `observer` with the ids of messages that were added, changed or deleted; return a
        function that unsubscribes.
        """
        ...


class ConversationFollower:
    """A `ChatListener` that calls `show(conversation id)` ("" for none) after each change; the
    latest call wins. `name` is for the log.
    """

    def __init__(
        self,
        chat: Chat,
        messages: ObservedMessages,
        name: str,
        show: Callable[[str], Awaitable[None]],
    ) -> None:
        self._chat = chat
        self._name = name
        self._show = show
        self._work = TaskRunner(name, failed=self._log_fault)
        self._end = messages.subscribe(lambda _ids: self.refresh())
        chat.subscribe(self, ConversationChanged)

    def on_chat_event(self, event: ChatEvent) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Show the conversation again after a change."""
        self._work.replace("look", self._look)

    async def _look(self) -> None:
        info = self._chat.conversation
        await self._show(info.id if info is not None else "")

    def _log_fault(self, error: KnownError) -> None:
        _log.info("%s can't be read: %s", self._name, error)

    async def aclose(self) -> None:
        self._end()
        await self._work.aclose()


class CitationSource(Protocol):
    """Coroutines raise StoreError."""

    async def recalled_for_replies(
        self, replies: Sequence[str]
    ) -> Mapping[str, Sequence[KnowledgeHit]]:
        """Return the passages that each of these replies was given, if any."""
        ...

    def subscribe_citations(self, observer: Callable[[], object]) -> Callable[[], None]: ...


class CitedMessages(ObservedMessages, Protocol):
    async def heads(self, conversation_id: str) -> list[MessageHead]: ...


class CitationsView(Protocol):
    def set_citations(self, cited: Mapping[str, Sequence[Citation]]) -> None:
        """Set the sources of each message that has any, by message id."""
        ...


class CitationsController:
    """Updates the view until `aclose`."""

    def __init__(
        self, chat: Chat, source: CitationSource, messages: CitedMessages, view: CitationsView
    ) -> None:
        self._source = source
        self._messages = messages
        self._view = view
        self._follower = ConversationFollower(
            chat, messages, "The passages given to replies", self._show
        )
        self._end = source.subscribe_citations(self._follower.refresh)

    async def aclose(self) -> None:
        self._end()
        await self._follower.aclose()

    async def _show(self, conversation: str) -> None:
        heads = await self._messages.heads(conversation) if conversation else []
        recalled = await self._source.recalled_for_replies([one.id for one in heads])
        self._view.set_citations(
            {
                reply: tuple(Citation(one.passage.id, one.label) for one in hits)
                for reply, hits in recalled.items()
            }
        )


class SummaryView(Protocol):
    def set_summary_end(self, until: str) -> None:
        """Mark the last message that a summary covers, "" for none."""
        ...


class SummaryController:
    """Updates the view until `aclose`."""

    def __init__(
        self, chat: Chat, summaries: StoredSummaries, messages: ObservedMessages, view: SummaryView
    ) -> None:
        self._summaries = summaries
        self._view = view
        self._follower = ConversationFollower(chat, messages, "The summary", self._show)
        self._end = summaries.subscribe(lambda _conversation: self._follower.refresh())

    async def aclose(self) -> None:
        self._end()
        await self._follower.aclose()

    async def _show(self, conversation: str) -> None:
        summary = await self._summaries.get(conversation) if conversation else None
        self._view.set_summary_end(summary.until if summary is not None else "")


class ConversationSwitch(QObject):
    """A switch of the chat's menu (`action`) that applies to the open conversation. `words` is its
    English label; `tell` is called with errors of the store.
    """

    def __init__(
        self,
        chat: Chat,
        choices: RecallChoices,
        tell: Callable[[KnownError], None],
        words: str = MEMORY_LABEL,
    ) -> None:
        super().__init__()
        self._words = words
        self._chat = chat
        self._choices = choices
        self._work = TaskRunner("memory switch", failed=tell)
        self.action = QAction(self)
        self.action.setCheckable(True)
        self.action.triggered.connect(self._switch)
        self.retranslate()
        chat.subscribe(self, ConversationChanged)

    def on_chat_event(self, event: ChatEvent) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Show what holds in the open conversation."""
        info = self._chat.conversation
        self.action.setChecked(info is None or self._choices.is_on(info.id))

    def retranslate(self) -> None:
        self.action.setText(tr(self._words))
        self.refresh()

    def _switch(self, on: bool) -> None:
        info = self._chat.conversation
        if info is None:
            self.refresh()
            return
        conversation = info.id

        async def keep() -> None:
            await self._choices.switch(conversation, on)

        self._work.start("switch", keep)
