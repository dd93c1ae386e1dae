"""Text search: the positions of words in a text, the form of texts and queries for an FTS5 index,
and the excerpt around a match.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from neodeskpet.core.blocks import Message, Role, Text
from neodeskpet.core.markdown.preparation import plain_text_of
from neodeskpet.core.markdown.splitter import MarkdownSplitter

SCRIPTS_WITHOUT_SPACES = (
    "\u0e00-\u0e7f\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
)
"""Scripts without spaces between words (or, as Korean, with long compounds)."""

TextSpan = tuple[int, int]
"""First character and end (exclusive)."""


class _Folds(dict[int, str]):
    """Folds each character to exactly one, so that positions stay the same."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if category == "Cs":  # a lone surrogate
            folded = " "
        else:
            base = unicodedata.normalize("NFKD", char)
            if len(base) > 1 and unicodedata.combining(base[1]) and ord(base[0]) < 0x250:
                char = base[0]
            else:
                whole = unicodedata.normalize("NFKC", char)
                char = whole if len(whole) == 1 else char
            folded = char.casefold() if len(char.casefold()) == 1 else char
        self[code] = folded
        return folded


_FOLDS = _Folds({0x2018: "'", 0x2019: "'", 0x02BC: "'", 0x201C: '"', 0x201D: '"'})


def fold_for_search(text: str) -> str:
    """Return `text` with one form for equivalent characters; its length stays the same."""
    return text.lower() if text.isascii() else text.translate(_FOLDS)


class SearchPattern:
    """The text to find: each of `words`, anywhere or only at the beginning of a word (`at_starts`).
    A space matches any white space. An empty pattern matches nothing.
    """

    def __init__(self, words: Iterable[str], *, at_starts: bool = False) -> None:
        wanted = [fold_for_search(" ".join(word.split())) for word in words]
        self.words = tuple(dict.fromkeys(word for word in wanted if word))
        longest_first = sorted(self.words, key=len, reverse=True)
        patterns = [_pattern(word, at_starts=at_starts) for word in longest_first]
        self._pattern = re.compile("|".join(patterns)) if patterns else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def spans(self, text: str) -> list[TextSpan]:
        """Return the positions of the words in order, without overlaps."""
        if self._pattern is None:
            return []
        return [found.span() for found in self._pattern.finditer(fold_for_search(text))]

    def count(self, text: str) -> int:
        """Return the number of matches in `text`."""
        return len(self.spans(text))


def _pattern(word: str, *, at_starts: bool) -> str:
    """Return the pattern of a word. A zero-width space, which the interface puts beside symbols,
    may be between any two characters.
    """
    pattern = "\u200b?".join(r"\s+" if char == " " else re.escape(char) for char in word)
    spaced = word[0].isalnum() and not re.match(f"[{SCRIPTS_WITHOUT_SPACES}]", word)
    return rf"(?<![^\W_{SCRIPTS_WITHOUT_SPACES}]){pattern}" if at_starts and spaced else pattern


def utf16_spans(text: str, spans: Iterable[TextSpan]) -> list[TextSpan]:
    """Return the same positions in UTF-16 units, as Qt counts them."""
    if not text or max(text) <= "\uffff":
        return list(spans)
    wide = [at for at, char in enumerate(text) if char > "\uffff"]

    def moved(place: int) -> int:
        return place + sum(at < place for at in wide)

    return [(moved(start), moved(end)) for start, end in spans]


_OLD = unicodedata.ucd_3_2_0


@lru_cache(maxsize=16384)
def is_kept(char: str) -> bool:
    """Return whether every version of the tokenizer treats this character as part of a word."""
    if char.isascii():
        return char.isalnum()
    return unicodedata.category(char)[0] in "LN" and _OLD.category(char)[0] in "LN"


def is_token(term: str) -> bool:
    """Return whether the tokenizer keeps `term` as one token."""
    if term.isascii():
        return term.isalnum()
    return bool(term) and all(map(is_kept, term))


def as_token(term: str) -> str:
    """Return `term` as one token, unchanged if it is one already. "" for ""."""
    if is_token(term):
        return term
    return "".join(char if is_kept(char) else f"u{ord(char):x}" for char in term)


_SLICE = 20_000
"""Characters that are processed at once: a regular expression blocks all other threads while it
runs.
"""
_SIGN = re.compile(r"[\W_]")
_DENSE_RUN = re.compile(f"([{SCRIPTS_WITHOUT_SPACES}])")
_RUN = re.compile(rf"[{SCRIPTS_WITHOUT_SPACES}]+|(?:(?![{SCRIPTS_WITHOUT_SPACES}])[^\W_])+")
_PIECES = re.compile(rf"[{SCRIPTS_WITHOUT_SPACES}]+|[^\s{SCRIPTS_WITHOUT_SPACES}]+")


def index_text(text: str) -> str:
    """Return `text` in the form of the index."""
    if text.isascii():
        return fold_for_search(text)
    slices = (text[at : at + _SLICE] for at in range(0, len(text), _SLICE))
    return "".join(_DENSE_RUN.sub(r" \1 ", _without_signs(fold_for_search(one))) for one in slices)


def _without_signs(text: str) -> str:
    """Return `text` with a space for everything that is no letter or digit: a character that the
    tokenizer's tables don't have (a new emoji) would become part of the adjacent word.
    """
    return _SIGN.sub(" ", text)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A user's query: a message must contain all `words`, in any order."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> SearchQuery:
        return cls(tuple(dict.fromkeys(_PIECES.findall(fold_for_search(text)))))

    @property
    def match(self) -> str:
        """The FTS5 expression; "" if no word has a letter."""
        found = (run for word in self.words for run in _RUN.findall(word))
        runs = dict.fromkeys(run for run in found if any(map(is_kept, run)))
        return " AND ".join(_term(run) for run in runs)

    @property
    def unindexed_words(self) -> tuple[str, ...]:
        """Words that the index doesn't contain completely: the text must be searched for
        them too.
        """
        return tuple(word for word in self.words if not (_RUN.fullmatch(word) and is_token(word)))

    def pattern(self) -> SearchPattern:
        """Return the pattern that highlights matches."""
        return SearchPattern(self.words, at_starts=True)


def _term(run: str) -> str:
    if re.match(f"[{SCRIPTS_WITHOUT_SPACES}]", run):
        return f'"{" ".join(filter(str.isalnum, run))}"'
    # A single letter isn't a prefix query: nearly every text would match.
    return f'"{run}"*' if len(run) > 1 else f'"{run}"'


_BEFORE = 24
_LENGTH = 160


def searchable_text(message: Message) -> str:
    """Return the visible text of `message` without Markdown. Parts that are drawn separately are on
    separate lines.
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
    """An excerpt on one line, and the positions of the matches in it."""

    text: str
    marks: tuple[TextSpan, ...]


def passage_around(text: str, needle: SearchPattern) -> Passage:
    """Return the part of `text` around the first match, or its beginning if there is none."""
    found = needle.spans(text)
    start = 0
    if found and found[0][0] > _BEFORE:
        start = found[0][0] - _BEFORE
        gap = max(text.find(" ", start, found[0][0]), text.find("\n", start, found[0][0]))
        start = gap + 1 if gap >= 0 and found[0][0] - gap < _BEFORE else start
    part = " ".join(text[start : start + _LENGTH * 2].split())[:_LENGTH]
    shown = f"…{part}" if start else part
    return Passage(shown, tuple(needle.spans(shown)))
