"""Packs found texts into a token budget; long texts are shortened to the relevant
sentences. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.memory.recall.recall_types import MemoryItem, RecalledItem
from neodeskpet.memory.recall.text_terms import MAX_CHARACTERS, terms_of

MAX_ITEM_TOKENS = 160
"""Texts with more tokens are shortened."""
LINE_TOKENS = 14
"""Tokens of a line besides its text: number, speaker, relevance."""
_MIN_TOKENS = 24
"""Minimum tokens of a text in a line."""
_SENTENCE = re.compile(r"[^.!?。！？；;\n]*(?:[.!?。！？；;\n]+[\"'”’)）」]*\s*|$)")
_ELLIPSIS = "…"


def pack_items(
    found: Sequence[tuple[MemoryItem, float]],
    weights: Mapping[str, float],
    budget: int,
    longest: int = MAX_ITEM_TOKENS,
) -> list[RecalledItem]:
    """Return items with their relevance, best first, within `budget` tokens; an item that doesn't
    fit is skipped for shorter ones. Texts with more tokens than `longest` are shortened.
    """
    packed: list[RecalledItem] = []
    said: set[str] = set()
    left = budget
    for item, relevance in found:
        room = min(left - LINE_TOKENS, longest)
        if room < min(_MIN_TOKENS, estimate_tokens(item.text[:MAX_CHARACTERS])):
            if left < LINE_TOKENS + 2:
                break
            continue
        text = shorten(item.text, weights, room)
        if text in said:
            continue
        said.add(text)
        left -= LINE_TOKENS + estimate_tokens(text)
        packed.append(RecalledItem(item, text, relevance))
    return packed


def shorten(text: str, weights: Mapping[str, float], tokens: int) -> str:
    """Return `text` on one line within `tokens`: the sentences of its beginning with most of the
    query words, in order.
    """
    if len(text) > MAX_CHARACTERS:
        text = f"{text[:MAX_CHARACTERS].rstrip()}{_ELLIPSIS}"
    line = " ".join(text.split())
    if estimate_tokens(line) <= tokens:
        return line
    sentences = [" ".join(one.split()) for one in _SENTENCE.findall(text)]
    sentences = [one for one in sentences if one]
    worth = [_sentence_weight(one, weights) for one in sentences]
    order = sorted(range(len(sentences)), key=lambda at: (-worth[at], at))
    kept: set[int] = set()
    left = tokens - 2
    for at in order:
        cost = estimate_tokens(sentences[at]) + 1
        if cost <= left:
            kept.add(at)
            left -= cost
        elif not kept:
            return _cut_around_match(sentences[at], weights, tokens)
    return _join(sentences, kept)


def _sentence_weight(sentence: str, weights: Mapping[str, float]) -> float:
    return sum(weights.get(term, 0.0) for term in set(terms_of(sentence)))


def _join(sentences: Sequence[str], kept: Collection[int]) -> str:
    pieces: list[str] = []
    for at, sentence in enumerate(sentences):
        if at in kept:
            pieces.append(sentence)
        elif not pieces or pieces[-1] != _ELLIPSIS:
            pieces.append(_ELLIPSIS)
    return " ".join(pieces)


def _cut_around_match(sentence: str, weights: Mapping[str, float], tokens: int) -> str:
    """Return a part of a sentence that is too long, around the first query word."""
    heavy = [term for term, weight in weights.items() if weight >= 0.4]
    lowered = sentence.lower()
    places = [at for at in (lowered.find(term) for term in heavy) if at >= 0]
    size = tokens * len(sentence) // max(estimate_tokens(sentence), 1)
    start = max(min(places, default=0) - size // 4, 0)
    end = start + max(size - 2, 8)
    cut = sentence[start:end].strip()
    return f"{_ELLIPSIS if start else ''}{cut}{_ELLIPSIS if end < len(sentence) else ''}"
