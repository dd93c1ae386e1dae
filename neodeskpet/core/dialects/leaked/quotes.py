"""Detects calls that only quote text that the model was sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from neodeskpet.core.transcript import (
    AssistantTurn,
    ImagePart,
    ModelMessage,
    ToolResults,
    UserTurn,
)

_SPACES = re.compile(r"\s+")
_BODY = 24
"""A shorter body (`{"city": "Paris"}`) may be what the user asked for."""


def quotable(messages: Sequence[ModelMessage]) -> list[str]:
    """Return the texts that a model may quote: the user's messages, results, descriptions of
    pictures.
    """
    return [text for message in messages for text in _texts(message)]


def _texts(message: ModelMessage) -> Iterator[str]:
    match message:
        case UserTurn(parts=parts):
            for part in parts:
                yield part.description if isinstance(part, ImagePart) else part.text
        case ToolResults(results=results):
            yield from (result.output for result in results)
        case AssistantTurn():
            pass


class Quotes:
    """The texts that were sent. White space is not compared."""

    def __init__(self, sent: Iterable[str]) -> None:
        self._sent = list(sent)
        self._joined = ""

    def add(self, text: str) -> None:
        self._sent.append(text)
        self._joined = ""

    def hold(self, block: str) -> bool:
        """Return whether the texts contain `block`, or the content between the marks of `block`."""
        if not self._joined:
            self._joined = "\0".join(map(_squeeze, self._sent))
        return any(_squeeze(body) in self._joined for body in _bodies(block))


def _bodies(block: str) -> Iterator[str]:
    yield block
    brackets = _between(block, _first(block, "{["), max(block.rfind("}"), block.rfind("]")) + 1)
    tags = _between(block, block.find(">") + 1, block.rfind("</")) if ">" in block else ""
    yield from (body for body in (brackets, tags) if len(body) >= _BODY)


def _between(block: str, begun: int, end: int) -> str:
    return block[begun:end] if end > begun >= 0 else ""


def _first(block: str, letters: str) -> int:
    """Return the position of the first of `letters`; -1 if there is none."""
    return min((at for at in map(block.find, letters) if at >= 0), default=-1)


def _squeeze(text: str) -> str:
    return _SPACES.sub("", text)
