"""What in a text asks: who asks doesn't know, who answers leaves the asker's words out. Pure."""

from __future__ import annotations

import re

_LONGEST = 300
"""Characters of a text that can be nothing but a question."""
_ASKS = re.compile(r"(?:[?？]|[吗呢]。?)$")
_MORE = re.compile(r"[.!。！；;\n?？]\s*\w")

_MAY_ASK = re.compile(r"[?？吗呢]")
_SENTENCE = re.compile(r"[^.!?。！？；;\n]+(?:[?？]+|(?<=[吗呢])(?=[。\n]|$))")
_TAG = re.compile(
    r"(?i)[,，] *(?:right|huh|eh|ok|okay|yeah|you know|"
    r"(?:is|are|was|were|do|does|did|have|has|can|wo|would)n't \w+)[?？]+$"
    r"|(?:对吧|是吧|好吧|不是吗|对吗|对不对|是不是)[?？]*$"
)
"""Asked in form only: who adds it tells something."""


def is_question(text: str) -> bool:
    """Whether a text is a question and nothing else."""
    said = text[:_LONGEST].strip()
    return bool(_ASKS.search(said)) and not _MORE.search(said)


def part_questions(text: str) -> tuple[str, str]:
    """What a text tells, and its sentences that ask."""
    if not _MAY_ASK.search(text):
        return text, ""
    asked: list[str] = []

    def take(sentence: re.Match[str]) -> str:
        if _TAG.search(sentence[0]):
            return sentence[0]
        asked.append(sentence[0])
        return "\n"

    told = _SENTENCE.sub(take, text)
    return told, "\n".join(asked)
