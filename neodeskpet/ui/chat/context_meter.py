"""The context meter: how full the context is, what the last request left out and why, and the costs
of the conversation.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import (
    ChatEvent,
    ConversationChanged,
    PathChanged,
)
from neodeskpet.core.blocks import Message, Role
from neodeskpet.core.costs import CostSum
from neodeskpet.core.errors import KnownError
from neodeskpet.core.turn.turn_events import TurnEnded
from neodeskpet.core.turn.turn_trace import ContextRemark
from neodeskpet.language import tr
from neodeskpet.ui.chat.chat_header import ChatHeader
from neodeskpet.ui.formatting import format_sum
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel

_WIDTH = 380
_DISTANCE = 4


@dataclass(frozen=True, slots=True)
class ContextMeterContent:
    """What is shown: `context` in a sentence; the `omissions` of the last request (None if unknown)
    and its `additions`; the costs `spent` on the conversation; and the state of the `budget`, ""
    for none.
    """

    context: str
    omissions: Sequence[str] | None
    additions: Sequence[str]
    spent: CostSum
    budget: str = ""

    def lines(self) -> list[tuple[str, bool]]:
        """Return the lines from top to bottom; True marks a heading."""
        said = [(tr("Context"), True), (self.context, False)]
        if self.omissions is None:
            said.append(
                (tr("Omissions are only known for replies since the app was started."), False)
            )
        else:
            said.append((tr("Omitted from the last request"), True))
            said += [(f"• {one}", False) for one in self.omissions] or [
                (tr("Nothing: the model read the whole conversation."), False)
            ]
        if self.additions:
            said.append((tr("Sent in addition to the messages"), True))
            said += [(f"• {one}", False) for one in self.additions]
        said.append((tr("This conversation"), True))
        said.append((format_sum(self.spent) if self.spent.requests else tr("Nothing yet."), False))
        if self.budget:
            said.append((self.budget, False))
        return said


class ContextMeterPopover(QFrame):
    """Signals: `turn_report_requested()` (a report of the last turn), `costs_requested()` (costs of
    the month).
    """

    turn_report_requested = Signal()
    costs_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("meter")
        self._theme = theme
        self._lines: list[PlainLabel] = []
        self._inner = QVBoxLayout()
        self._inner.setSpacing(4)
        self.account, self.costs = QPushButton(), QPushButton()
        self.account.clicked.connect(self._ask_account)
        self.costs.clicked.connect(self._ask_costs)
        below = QVBoxLayout()  # one below the other: the labels are long in a large font
        below.setSpacing(6)
        below.addWidget(self.account)
        below.addWidget(self.costs)
        box = QVBoxLayout(self)
        box.setContentsMargins(14, 12, 14, 12)
        box.setSpacing(10)
        box.addLayout(self._inner)
        box.addLayout(below)
        self.set_theme(theme)
        self.retranslate()

    def open_under(self, anchor: QWidget, content: ContextMeterContent, *, account: bool) -> None:
        """Show the popover below `anchor`; `account`: there is a last turn to report on."""
        for label in self._lines:
            self._inner.removeWidget(label)
            label.deleteLater()
        self._lines = [self._line(text, heading) for text, heading in content.lines()]
        self.setAccessibleName("\n".join(label.text() for label in self._lines))
        self.account.setEnabled(account)
        self.setFixedWidth(scale_to_font(_WIDTH, self._theme))
        self.adjustSize()
        corner = anchor.mapToGlobal(
            QPoint(anchor.width() - self.width(), anchor.height() + _DISTANCE)
        )
        screen = anchor.screen().availableGeometry()
        corner.setX(max(screen.left(), corner.x()))
        self.move(corner)
        self.show()
        self.costs.setFocus()

    def texts(self) -> list[str]:
        """Return the shown texts, from top to bottom."""
        return [label.text() for label in self._lines]

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        apply_window_theme(
            self,
            theme,
            f"#meter {{ background: {theme.surface}; border: 1px solid {theme.control_line}; }}",
        )

    def retranslate(self) -> None:
        self.account.setText(tr("What happened in the last turn"))
        self.costs.setText(tr("Costs this month"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _line(self, text: str, heading: bool) -> PlainLabel:
        label = PlainLabel(text)
        label.setWordWrap(True)
        label.setFont(ui_font(self._theme, self._theme.small_px + 1, bold=heading))
        if heading and self._inner.count():
            label.setContentsMargins(0, scale_to_font(6, self._theme), 0, 0)
        self._inner.addWidget(label)
        return label

    def _ask_account(self) -> None:
        self.close()
        self.turn_report_requested.emit()

    def _ask_costs(self) -> None:
        self.close()
        self.costs_requested.emit()


_log = logging.getLogger(__name__)
_RECENT_MESSAGES = 50


class MessageHistory(Protocol):
    async def history(self, conversation_id: str, limit: int = 200) -> Sequence[Message]: ...


class SpendingSource(Protocol):
    async def get_conversation(self, conversation_id: str) -> CostSum: ...


class ContextMeterController(QObject):
    """A `ChatListener`. `budget()` returns a text about the used part of the monthly budget, "" if
    none is set.

    Signals: `turn_report_requested(message id)`, `costs_requested()`.
    """

    turn_report_requested = Signal(str)
    costs_requested = Signal()

    def __init__(
        self,
        chat: Chat,
        messages: MessageHistory,
        spending: SpendingSource,
        header: ChatHeader,
        theme: Theme,
        budget: Callable[[], str],
    ) -> None:
        super().__init__(header)
        self._chat = chat
        self._messages = messages
        self._spending = spending
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
        """Find the last reply, and what its last request left out."""
        info = self._chat.conversation
        recent = await self._messages.history(info.id, _RECENT_MESSAGES) if info is not None else ()
        answers = [one.id for one in recent if one.role is Role.ASSISTANT and one.model]
        self._answer = answers[-1] if answers else ""
        self._header.set_omissions(_sentences(self._remarks() or (), lacks=True))

    def _remarks(self) -> Sequence[ContextRemark] | None:
        """Return the remarks of the last request; None if they are unknown."""
        trace = self._chat.tracing.get(self._answer)
        return trace.rounds[-1].remarks if trace is not None and trace.rounds else None

    async def _open(self) -> None:
        await self._look()
        info = self._chat.conversation
        spent = await self._spending.get_conversation(info.id) if info is not None else CostSum()
        remarks = self._remarks()
        content = ContextMeterContent(
            self._header.context_text(),
            None if remarks is None else _sentences(remarks, lacks=True),
            _sentences(remarks or (), lacks=False),
            spent,
            self._budget(),
        )
        account = bool(self._answer)
        self.popover.open_under(self._header.context, content, account=account)


def _sentences(remarks: Sequence[ContextRemark], *, lacks: bool) -> list[str]:
    return [tr(one.words.text, **one.words.params) for one in remarks if one.lacks is lacks]


def _log_error(error: KnownError) -> None:
    _log.info("The omissions of the context can't be read: %s", error)
