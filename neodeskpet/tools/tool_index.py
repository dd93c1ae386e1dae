"""Finds tools by what they do, in English and Chinese.

Names are split where their letters change (`createPullRequest`, `get_file`), English words are
stemmed, Chinese is cut into the words of the glossary and otherwise into pairs of characters. The
weight of a word depends on its rarity and on where it occurs. Synonyms count as one word, so
"提交记录" finds a tool whose description only says "commit". Pure: no network, no clock. The
glossary is loaded with the first search: most sessions have too few tools to search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import log

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.platform.stemming import stem

_RUN = re.compile(r"[㐀-鿿豈-﫿]+|[^\W_㐀-鿿豈-﫿]+")
_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
_VERSION = re.compile(r"v?\d+")
_DESCRIPTION = 400
"""Characters of a description that are searched; what follows are usually examples and warnings."""
_NAME, _FAMILY, _SAID, _PARAMETER = 4.0, 2.0, 1.5, 0.3
"""Weight of a word by where it occurs: name, family, description, parameter names."""
_MEANT = 0.85
"""Weight of a synonym relative to the word itself."""
_WORDS = 40
"""Most words of a query that are used."""
_COMMON_CHINESE = re.compile(
    "(?:请|麻烦)?(?:帮|给|替|为)(?:我|忙|一下)*|我想|我要|想要|需要|可以|能不能|能否|怎么|怎样|如何"
    "|什么|哪些|哪个|多少|一下|一个|这个|那个|这些|那些|一些|一份|一条|一张|有没有|是否|吗|呢|吧|的|了|把|请|我|你|它"
)


@dataclass(frozen=True, slots=True)
class Family:
    """`name` is shown to the model; `size` is the number of its tools."""

    name: str
    size: int


def family_of(spec: ToolSpec) -> str:
    """Return the family: for the app's tools the name before the dot, for others their source."""
    return spec.source if spec.foreign else spec.family


def families(specs: Iterable[ToolSpec]) -> list[Family]:
    """Return all families in the order of their first tools."""
    sizes: dict[str, int] = {}
    for spec in specs:
        name = family_of(spec)
        sizes[name] = sizes.get(name, 0) + 1
    return [Family(name, size) for name, size in sizes.items()]


class ToolIndex:
    """A search index of `specs`."""

    def __init__(self, specs: Sequence[ToolSpec]) -> None:
        self._specs = tuple(specs)
        self._names: list[frozenset[str]] = []
        self._weights: dict[str, dict[int, float]] = {}
        for at, spec in enumerate(self._specs):
            name = _words(spec.own_name or spec.name)
            self._names.append(frozenset(map(_stem, name)))
            for words, weight in (
                (name, _NAME),
                (_words(family_of(spec)), _FAMILY),
                (_words(spec.description[:_DESCRIPTION]), _SAID),
                (_words(_parameters(spec.parameters)), _PARAMETER),
            ):
                self._add(at, words, weight)

    def covers(self, specs: Sequence[ToolSpec]) -> bool:
        """Return whether the index was made from these specs: equal names and texts, and identical
        schema objects.
        """
        return len(specs) == len(self._specs) and all(
            one.name == other.name
            and one.source == other.source
            and one.parameters is other.parameters
            and one.description == other.description
            for one, other in zip(specs, self._specs, strict=True)
        )

    def search(self, query: str, count: int = 5) -> list[ToolSpec]:
        """Return up to `count` tools, best first; none if no word of `query` is known."""
        plain = _COMMON_CHINESE.sub(" ", query)
        asked = dict.fromkeys(word for word in _words(plain) if word not in _glossary().common)
        units = [self._unit(word) for word in [*asked][:_WORDS]]
        scores: dict[int, float] = {}
        for unit in units:
            for at, worth in unit.items():
                scores[at] = scores.get(at, 0.0) + worth
        for at in scores:
            met = sum(at in unit for unit in units) / len(units)
            explained = self._explained(at, asked)
            scores[at] *= (0.4 + 0.6 * met) * (0.7 + 0.3 * explained)
        best = sorted(scores, key=lambda at: (-scores[at], at))
        return [self._specs[at] for at in best[:count]]

    def _add(self, at: int, words: Sequence[str], weight: float) -> None:
        for word in words:
            for term, share in _terms(word):
                row = self._weights.setdefault(term, {})
                row[at] = max(row.get(at, 0.0), weight * share)

    def _unit(self, word: str) -> dict[int, float]:
        """Return the score of a word of the query for each tool, by itself or by a synonym."""
        worth: dict[int, float] = {}
        for term, share in _terms(word):
            row = self._weights.get(term, {})
            rare = log(1 + len(self._specs) / (1 + len(row)))
            for at, weight in row.items():
                worth[at] = max(worth.get(at, 0.0), share * rare * weight)
        return worth

    def _explained(self, at: int, asked: Iterable[str]) -> float:
        """Return the share of a tool's name that the query contains: 0..1."""
        said = {term for word in asked for term, _ in _terms(word)}
        name = self._names[at]
        met = sum(any(term in said for term, _ in _terms(word)) for word in name)
        return met / len(name) if name else 0.0


def _parameters(schema: Mapping[str, object]) -> str:
    """Return the names of the parameters. Their descriptions are ignored: the longer a tool's text,
    the less each word counts, and they mostly describe formats.
    """
    properties = schema.get("properties")
    return " ".join(map(str, properties)) if isinstance(properties, Mapping) else ""


def _words(text: str) -> list[str]:
    """Split into lowercase words. Chinese is split into the longest words of the glossary and the
    text between them.
    """
    found: list[str] = []
    for run in _RUN.findall(text):
        if _is_chinese(run):
            found += [piece for piece in _glossary().chinese.split(run) if piece]
        else:
            parts = (part.casefold() for part in _CASE.split(run))
            found += [part for part in parts if not _VERSION.fullmatch(part)]
    return found


@lru_cache(maxsize=8192)
def _terms(word: str) -> tuple[tuple[str, float], ...]:
    """Return the index terms of `word` with their weights: its stem, its meanings, pairs of its
    Chinese characters.
    """
    known = _glossary().meanings
    meanings = known.get(word) or known.get(_stem(word)) or []
    meant = tuple((f"={number}", _MEANT) for number in meanings)
    if not _is_chinese(word):
        return ((_stem(word), 1.0), *meant)
    pairs = [word[at : at + 2] for at in range(len(word) - 1)] or [word]
    return (*((pair, 1.0 if not meant else 0.6) for pair in pairs), *meant)


def _stem(word: str) -> str:
    return word if _is_chinese(word) else stem(word)


def _is_chinese(word: str) -> bool:
    return word[0] > "\u2e80"


@dataclass(frozen=True, slots=True)
class _Glossary:
    """`common` are stop words; `meanings` has the numbers of the synonym groups for each other
    word; `chinese` matches the Chinese words among them.
    """

    common: frozenset[str]
    meanings: Mapping[str, list[int]]
    chinese: re.Pattern[str]


@cache
def _glossary() -> _Glossary:
    text = (files("neodeskpet.tools") / "glossary.txt").read_text("utf-8")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    common = frozenset(word for line in lines if line[0] == "-" for word in line[1:])
    meanings: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        for word in line if line[0] != "-" else ():
            for form in {word, _stem(word)}:
                meanings.setdefault(form, []).append(number)
    chinese = sorted(filter(_is_chinese, meanings), key=len, reverse=True)
    return _Glossary(common, meanings, re.compile(f"({'|'.join(chinese)})"))
