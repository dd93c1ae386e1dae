"""What in a text asks: who asks doesn't know, who answers leaves the asker's words out. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from neodeskpet.memory.recall.words import is_single_character, terms_of

_MAX_QUESTION = 300
"""Characters of a text that can be nothing but a question."""
_QUESTION_END = re.compile(r"(?:[?？]|[吗呢]。?)$")
_SECOND_SENTENCE = re.compile(r"[.!。！；;\n?？]\s*\w")

_QUESTION_CHARS = re.compile(r"[?？吗呢]")
_QUESTION_SENTENCE = re.compile(r"[^.!?。！？；;\n]+(?:[?？]+|(?<=[吗呢])(?=[。\n]|$))")
_TAG_QUESTION = re.compile(
    r"(?i)[,，] *(?:right|huh|eh|ok|okay|yeah|you know|"
    r"(?:is|are|was|were|do|does|did|have|has|can|wo|would)n't \w+)[?？]+$"
    r"|(?:对吧|是吧|好吧|不是吗|对吗|对不对|是不是)[?？]*$"
)
"""Asked in form only: who adds it tells something."""


def is_question(text: str) -> bool:
    """Whether a text is a question and nothing else."""
    said = text[:_MAX_QUESTION].strip()
    return bool(_QUESTION_END.search(said)) and not _SECOND_SENTENCE.search(said)


def split_questions(text: str) -> tuple[str, str]:
    """What a text tells, and its sentences that ask."""
    if not _QUESTION_CHARS.search(text):
        return text, ""
    asked: list[str] = []

    def take(sentence: re.Match[str]) -> str:
        if _TAG_QUESTION.search(sentence[0]):
            return sentence[0]
        asked.append(sentence[0])
        return "\n"

    told = _QUESTION_SENTENCE.sub(take, text)
    return told, "\n".join(asked)


_MAX_SHORT_TERMS = 24
"""Terms of an answer that may be nothing but that nobody knows."""
_FILLERS = (
    "hm hmm mm uh um oh ah well ok okay alright right fine sure thanks thank you i see let me "
    "嗯 哦 好 好的 啊 呃 唔 哈 知道了 明白 收到"
)
_DISCLAIMERS = (
    "don't know|no idea|not sure|don't remember|don't recall|can't recall|can't tell|can't say|"
    "can't find|couldn't find|no record|haven't told|haven't mentioned|didn't mention|"
    "don't have access|don't have information|don't have any record|"
    "不知道|不清楚|不记得|不太记得|不太清楚|不确定|想不起|没印象|没有印象|没有记录|没有信息|没提过|没有提|没说过|没告诉"
)


def is_empty_answer(terms: Collection[str]) -> bool:
    """Whether an answer of these terms (`words.terms_of`) tells nothing: a hum, or that who was
    asked doesn't know either.
    """
    said = set(terms)
    fillers, disclaimers = _empty_terms()
    if said <= fillers:
        return True
    short = sum(not is_single_character(one) for one in said) <= _MAX_SHORT_TERMS
    return short and any(one <= said for one in disclaimers)


@cache
def _empty_terms() -> tuple[frozenset[str], list[frozenset[str]]]:
    phrases = (terms_of(phrase) for phrase in _DISCLAIMERS.split("|"))
    disclaimers = [
        frozenset(one for one in terms if not is_single_character(one)) for terms in phrases
    ]
    return frozenset(terms_of(_FILLERS)), disclaimers
