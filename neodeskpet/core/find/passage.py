"""What of a message can be found, and the part of it that shows what was."""

from __future__ import annotations

from dataclasses import dataclass

from neodeskpet.core.blocks import Message, Role, Text
from neodeskpet.core.find.needle import SearchPattern, TextSpan
from neodeskpet.core.markdown.markup import plain_text_of
from neodeskpet.core.markdown.splitter import MarkdownSplitter

_BEFORE = 24
_LENGTH = 160


def searchable_text(message: Message) -> str:
    """What of `message` is read on the screen as its text, without marks. Pieces that are drawn
    apart stand on lines of their own.
    """
    texts = [block.text for block in message.blocks if isinstance(block, Text)]
    if message.role is not Role.ASSISTANT:
        return "\n".join(texts)
    return "\n".join(piece for text in texts for piece in _pieces(text) if piece)


def _pieces(markdown: str) -> list[str]:
    splitter = MarkdownSplitter()
    splitter.feed(markdown)
    splitter.finish()
    return [plain_text_of(piece) for piece in splitter.pieces]


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a text on one line, and where in it the words stand."""

    text: str
    marks: tuple[TextSpan, ...]


def passage_around(text: str, needle: SearchPattern) -> Passage:
    """The part of `text` around the first place where the words stand; its beginning if nowhere."""
    found = needle.spans(text)
    start = 0
    if found and found[0][0] > _BEFORE:
        start = found[0][0] - _BEFORE
        gap = max(text.find(" ", start, found[0][0]), text.find("\n", start, found[0][0]))
        start = gap + 1 if gap >= 0 and found[0][0] - gap < _BEFORE else start
    part = " ".join(text[start : start + _LENGTH * 2].split())[:_LENGTH]
    shown = f"…{part}" if start else part
    return Passage(shown, tuple(needle.spans(shown)))
