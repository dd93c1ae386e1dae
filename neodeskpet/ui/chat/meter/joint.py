"""Keeps the meter in the head of the chat: what the last request left out, and why."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import (
    ChatEvent,
    ConversationChanged,
    PathChanged,
)
from neodeskpet.core.blocks import Message, Role
from neodeskpet.core.errors import KnownError
from neodeskpet.core.spending.sums import CostSum
from neodeskpet.core.turn.trace import ContextRemark
from neodeskpet.core.turn.turn_events import TurnEnded
from neodeskpet.language import tr
from neodeskpet.ui.chat.header import ChatHeader
from neodeskpet.ui.chat.meter.popover import ContextMeterContent, ContextMeterPopover
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.work import TaskRunner

_log = logging.getLogger(__name__)
_RECENT_MESSAGES = 50


class MessageHistory(Protocol):
    async def history(self, conversation_id: str, limit: int = 200) -> Sequence[Message]: ...


class SpendingSource(Protocol):
    async def get_conversation(self, conversation_id: str) -> CostSum: ...


class ContextMeterController(QObject):
    """A `ChatListener`. `budget()` says how much of the month's is gone, "" where none is set.
    Signals: `turn_report_requested(message id)`, `costs_requested()`.
    """

    turn_report_requested = Signal(str)
    costs_requested = Signal()

    def __init__(
        self,
        chat: Chat,
        messages: MessageHistory,
        ledger: SpendingSource,
        header: ChatHeader,
        theme: Theme,
        budget: Callable[[], str],
    ) -> None:
        super().__init__(header)
        self._chat = chat
        self._messages = messages
        self._ledger = ledger
        self._header = header
        self._budget = budget
        self._answer = ""
        self.popover = ContextMeterPopover(theme, header)
        self._work = TaskRunner("meter", failed=_log_error)
        header.context_requested.connect(lambda: self._work.replace("open", self._open))
        self.popover.turn_report_requested.connect(
            lambda: self.turn_report_requested.emit(self._answer)
        )
        self.popover.costs_requested.connect(self.costs_requested)
        chat.subscribe(self, TurnEnded, ConversationChanged, PathChanged)

    def on_chat_event(self, event: ChatEvent) -> None:
        self._work.replace("look", self._look)

    def set_theme(self, theme: Theme) -> None:
        self.popover.set_theme(theme)

    def retranslate(self) -> None:
        self.popover.retranslate()
        self._work.replace("look", self._look)

    async def aclose(self) -> None:
        await self._work.aclose()

    async def _look(self) -> None:
        """Which answer is the last, and what its last request left out."""
        info = self._chat.conversation
        recent = await self._messages.history(info.id, _RECENT_MESSAGES) if info is not None else ()
        answers = [one.id for one in recent if one.role is Role.ASSISTANT and one.model]
        self._answer = answers[-1] if answers else ""
        self._header.set_omissions(_sentences(self._remarks() or (), lacks=True))

    def _remarks(self) -> Sequence[ContextRemark] | None:
        """Those of the last request; None where they aren't known any more."""
        trace = self._chat.tracing.get(self._answer)
        return trace.rounds[-1].remarks if trace is not None and trace.rounds else None

    async def _open(self) -> None:
        await self._look()
        info = self._chat.conversation
        spent = await self._ledger.get_conversation(info.id) if info is not None else CostSum()
        remarks = self._remarks()
        told = ContextMeterContent(
            self._header.context_text(),
            None if remarks is None else _sentences(remarks, lacks=True),
            _sentences(remarks or (), lacks=False),
            spent,
            self._budget(),
        )
        account = bool(self._answer)
        self.popover.open_under(self._header.context, told, account=account)


def _sentences(remarks: Sequence[ContextRemark], *, lacks: bool) -> list[str]:
    return [tr(one.words.text, **one.words.params) for one in remarks if one.lacks is lacks]


def _log_error(error: KnownError) -> None:
    _log.info("What the context lacks can't be read: %s", error)
