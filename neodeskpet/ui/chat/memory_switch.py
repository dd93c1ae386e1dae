"""The entries of the chat's menu that switch the memory, or the knowledge base, for one
conversation.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.language import tr
from neodeskpet.memory.recall.choices import RecallChoices
from neodeskpet.ui.work import TaskRunner

MEMORY_LABEL = N_("Remember earlier conversations here")


class ConversationSwitch(QObject):
    """A `ChatListener`; `action` stands in the menu, as `words` (English) say. `tell` is told what
    couldn't be kept."""

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
