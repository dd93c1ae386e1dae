"""Detects which of the interface languages a text is written in."""

from __future__ import annotations

import re

CHINESE = "zh_CN"
ENGLISH = "en"

SAMPLE_CHARACTERS = 400
"""Characters at the beginning of a text that determine its language."""

_SKIPPED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|\w+://\S*|</?\w[^>]*>", re.DOTALL)
"""Code, addresses and tags are the same in every language."""
_HAN = re.compile("[\u3400-\u9fff]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_LATIN_WORD = re.compile(r"[^\W\d_\u3040-\uffff]{2,}|\b[AI]\b")


def language_of(text: str) -> str:
    """Return CHINESE or ENGLISH (any text in Latin letters) for the beginning of `text`; "" if
    undecided. A Chinese text may contain foreign words, an English one may quote Chinese.
    """
    sample = _SKIPPED.sub(" ", text[:SAMPLE_CHARACTERS])
    if _KANA_OR_HANGUL.search(sample):
        return ""
    characters = len(_HAN.findall(sample))
    words = len(_LATIN_WORD.findall(sample))
    if not characters and not words:
        return ""
    return CHINESE if characters >= words else ENGLISH
