"""Announcements of a running reply for screen readers: whole sentences, states of cards, errors.

Thinking isn't read out, and for code only its presence; the user can navigate to both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from neodeskpet.core.blocks import Block, MessageState, Notice, Text, ToolStatus, ToolUse
from neodeskpet.core.markdown.plain_sentences import BlockNames, SentenceSplitter
from neodeskpet.core.tool_result import ApprovalText
from neodeskpet.core.turn.turn_events import (
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from neodeskpet.language import join_sentences, tr, translate_code, with_tool_title
from neodeskpet.ui.chat.chat_commands import QUESTION_KEYS
from neodeskpet.ui.commands import format_keys
from neodeskpet.ui.formatting import status_text

_SILENT = (ToolStatus.WRITING, ToolStatus.QUEUED)
_FENCE = "```"
_MOST_OF_QUESTION = 600
"""Characters of what a call touches that are read out; the card shows the rest."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """A text for screen readers. An `urgent` one interrupts what is being read."""

    text: str
    urgent: bool = False


class ReplyAnnouncer:
    """Creates announcements from a turn's events, in order. `title` returns the display name of a
    tool.
    """

    def __init__(self, title: Callable[[str], str]) -> None:
        self._title = title
        self._message = ""
        self._text: SentenceSplitter | None = None
        self._index = -1
        self._cards: dict[int, tuple[ToolStatus, ApprovalText | None]] = {}
        self._urgent = False

    def announcement_for(self, message_id: str, event: TurnEvent) -> Announcement | None:
        """Return what to announce now."""
        if message_id != self._message or isinstance(event, TurnStarted | BlocksRemoved):
            self._message, self._text, self._cards = message_id, None, {}
        said: list[str] = []
        self._urgent = False
        match event:
            case BlockStarted(block=block):
                said = self._begin(block)
            case TextAppended(index=index, text=text) if index == self._index:
                said = self._feed(text)
            case BlockChanged(block=Text() as block):
                said = self._go_on(block)
            case BlockChanged(block=ToolUse() as call) | BlockEnded(block=ToolUse() as call):
                said = self._card(call)
            case BlockEnded(block=Text(index=index, text=text)) if index == self._index:
                said = [*self._end(), *([tr("There is code in it.")] if _FENCE in text else [])]
            case TurnEnded(state=state):
                said = [*self._end(), f" {_end_text(state)}"]
            case _:
                pass
        text = "".join(said).strip()
        return Announcement(text, self._urgent) if text else None

    def _begin(self, block: Block) -> list[str]:
        match block:
            case Text(index=index, text=text):
                said = self._end()
                self._index, self._text = index, _new_splitter()
                return [*said, *self._feed(text)]
            case ToolUse():
                return [*self._end(), *self._card(block)]
            case Notice(code=code, params=params, detail=detail):
                what, hint = translate_code(code, with_tool_title(params, self._title), detail)
                return [*self._end(), f" {join_sentences(what, hint)}"]
            case _:
                return self._end()

    def _go_on(self, block: Text) -> list[str]:
        """Continue reading a text where it was interrupted."""
        said = self._end()
        self._index, self._text = block.index, _new_splitter()
        self._text.feed(block.text)
        return said

    def _feed(self, text: str) -> list[str]:
        return self._text.feed(text) if self._text is not None and text else []

    def _end(self) -> list[str]:
        said = self._text.end() if self._text is not None else []
        self._text, self._index = None, -1
        return said

    def _card(self, call: ToolUse) -> list[str]:
        state = (call.status, call.question)
        if call.status in _SILENT or self._cards.get(call.index) == state:
            return []
        self._cards[call.index] = state
        title = self._title(call.name)
        if call.status is ToolStatus.ASKING:
            self._urgent = True
            return [_question_text(call, title)]
        return [f"{title}: {status_text(call.status)}"]


def _new_splitter() -> SentenceSplitter:
    blocks = BlockNames(table=tr("A table."), formula=tr("A formula."))
    return SentenceSplitter(tr("(link)"), tr("(formula)"), blocks, picture=tr("Picture"))


def _question_text(call: ToolUse, title: str) -> str:
    """Return a permission question with all that the card shows, and the key to its answers."""
    from neodeskpet.language.approval_text import question_fact, question_subject, question_title

    asked = tr("The companion asks for permission: {name}", name=question_title(call, title))
    thing = question_subject(call)
    if len(thing) > _MOST_OF_QUESTION:
        thing = thing[:_MOST_OF_QUESTION] + "…"
    keys = tr("{keys} goes to the answers.", keys=format_keys(QUESTION_KEYS))
    return "\n".join(filter(None, (asked, thing, question_fact(call), keys)))


def _end_text(state: MessageState) -> str:
    """Return how the reply ended; "" if a notice in it tells."""
    match state:
        case MessageState.DONE:
            return tr("The reply is finished.")
        case MessageState.CANCELLED:
            return tr("The reply was stopped.")
        case _:
            return ""
