"""Splits a spoken text into sentences, and finds how much of a reply was heard when it was
interrupted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from neodeskpet.core.markdown.plain_sentences import ends_with_abbreviation

_SENTENCE = re.compile(
    # No space follows a Chinese mark.
    r".+?(?:[。！？…]+[”’』」）]*"
    r"|(?P<dots>\.+)[\"”’)]*(?=\s)|[!?]+[\"”’)]*(?=\s)"
    r"|\n|$)\s*",
    re.DOTALL,
)
_CLAUSE = re.compile(r".+?(?:[，；：]+|[,;:]+(?=\s)|$)\s*", re.DOTALL)
_SHORTEST_CLAUSE = 12
_SHORTEST = 8
"""Characters of a sentence that is spoken by itself. A shorter one is joined to the next."""
_TAIL = 40
"""Letters and digits that are searched to find a heard word in a reply."""
_SHORTEST_TAIL = 6


@dataclass(frozen=True, slots=True)
class PlayedSentence:
    """A sentence and the seconds of sound at which it starts and ends."""

    text: str
    start: float
    end: float


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a line as it is spoken, in order."""
    sentences: list[str] = []
    short = ""
    for found in _SENTENCE.finditer(text):
        short += found[0]
        if len(short.strip()) >= _SHORTEST and not _continues(text, found):
            sentences.append(short.strip())
            short = ""
    if short.strip():
        sentences.append(short.strip())
    return sentences


def _continues(text: str, found: re.Match[str]) -> bool:
    """Return whether the sentence goes on after the dots that were found: "U.S. law", "Dr. Lee",
    "well... maybe".
    """
    if not found["dots"]:
        return False
    if len(found["dots"]) > 1:
        return text[found.end() : found.end() + 1].islower()
    return ends_with_abbreviation(text[found.start() : found.start("dots")])


def split_clauses(text: str) -> list[str]:
    """Return the clauses of a text. A synthesizer that gets them one by one is heard earlier."""
    clauses: list[str] = []
    for sentence in split_sentences(text):
        short = ""
        for found in _CLAUSE.finditer(sentence):
            short += found[0]
            if len(short.strip()) >= _SHORTEST_CLAUSE:
                clauses.append(short.strip())
                short = ""
        if short.strip():
            clauses.append(short.strip())
    return clauses


def heard_part(sentence: PlayedSentence, position: float) -> str:
    """Return the words of `sentence` that were heard when the sound was at `position`: in
    proportion to the time, without the word that was interrupted.
    """
    if position >= sentence.end:
        return sentence.text
    if position <= sentence.start:
        return ""
    share = (position - sentence.start) / (sentence.end - sentence.start)
    text = sentence.text
    end = max(0, min(int(len(text) * share), len(text) - 1))
    while end and _joins(text, end):
        end -= 1
    return text[:end].rstrip()


def cut_at_heard(reply: str, heard: str) -> str:
    """Return `reply` (Markdown) up to the last word of `heard` (its spoken form). A reply in which
    that word isn't found is not cut.
    """
    places = [at for at, character in enumerate(reply) if character.isalnum()]
    letters = "".join(reply[at].casefold()[0] for at in places)
    wanted = "".join(one.casefold()[0] for one in heard if one.isalnum())
    if not wanted:
        return ""
    for length in range(min(_TAIL, len(wanted)), min(_SHORTEST_TAIL, len(wanted)) - 1, -1):
        # The reply contains all heard words, so the last of them can't be earlier.
        for start in (max(0, len(wanted) - length), 0):
            found = letters.find(wanted[-length:], start)
            if found >= 0:
                return reply[: places[found + length - 1] + 1]
    return reply


def _joins(text: str, at: int) -> bool:
    """Return whether a word continues at `at`. A Chinese character is a word of its own."""
    before, after = text[at - 1], text[at]
    return before.isalnum() and after.isalnum() and before < "\u2e80" and after < "\u2e80"
