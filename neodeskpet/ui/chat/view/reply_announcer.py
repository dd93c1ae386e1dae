"""Announcements of a running reply for screen readers: whole sentences, states of cards, errors.

Thinking isn't read out, and for code only its presence; the user can navigate to both.
"""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.core.blocks import Block, Notice, Text, ToolStatus, ToolUse
from neodeskpet.core.markdown.plain_sentences import SentenceSplitter
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
from neodeskpet.ui.formatting import status_text

_SILENT = (ToolStatus.WRITING, ToolStatus.QUEUED)
_FENCE = "```"


class ReplyAnnouncer:
    """Creates announcements from a turn's events, in order. `title` returns the display name of a
    tool.
    """

    def __init__(self, title: Callable[[str], str]) -> None:
        self._title = title
        self._message = ""
        self._text: SentenceSplitter | None = None
        self._index = -1
        self._cards: dict[int, ToolStatus] = {}

    def announcement_for(self, message_id: str, event: TurnEvent) -> str:
        """Return the text to announce now, "" for none."""
        if message_id != self._message or isinstance(event, TurnStarted | BlocksRemoved):
            self._message, self._text, self._cards = message_id, None, {}
        said: list[str] = []
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
            case TurnEnded():
                said = self._end()
            case _:
                pass
        return "".join(said).strip()

    def _begin(self, block: Block) -> list[str]:
        match block:
            case Text(index=index, text=text):
                said = self._end()
                self._index, self._text = index, SentenceSplitter(tr("(link)"))
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
        self._index, self._text = block.index, SentenceSplitter(tr("(link)"))
        self._text.feed(block.text)
        return said

    def _feed(self, text: str) -> list[str]:
        return self._text.feed(text) if self._text is not None and text else []

    def _end(self) -> list[str]:
        said = self._text.end() if self._text is not None else []
        self._text, self._index = None, -1
        return said

    def _card(self, call: ToolUse) -> list[str]:
        if call.status in _SILENT or self._cards.get(call.index) is call.status:
            return []
        self._cards[call.index] = call.status
        title = self._title(call.name)
        if call.status is ToolStatus.ASKING:
            return [tr("The companion asks for permission: {name}", name=title)]
        return [f"{title}: {status_text(call.status)}"]
