"""Texts as the terms they are found by. Pure.

Words of alphabets are stemmed (English) and, where their letters change (`parseJSON`), also split.
Scripts without spaces give pairs of characters, and each character by itself: a pair says much, a
single one little, but there are words of one. Signs (emoji) are terms too. Each term is one token
of the index (`core.find.tokens`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from neodeskpet import stems
from neodeskpet.core.find.needle import SCRIPTS_WITHOUT_SPACES
from neodeskpet.core.find.tokens import as_token, is_kept

_EMOJI = "\u2600-\u27bf\u2b50\u2b55\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"

_TOKEN = re.compile(
    rf"([{SCRIPTS_WITHOUT_SPACES}]+)|([{_EMOJI}])|((?:(?![{SCRIPTS_WITHOUT_SPACES}])[^\W_])+(?:'[a-z]{{1,2}}\b)?)"
)
_CASE_CHANGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
_NEGATION = re.compile(r"(?i)\b(?:can|won|[a-z]+n)'t\b|\b(?:cannot|dont|doesnt|didnt|isnt)\b")
_HYPHENATED = re.compile(r"(?<![\w-])([A-Za-z]{1,20})-([A-Za-z]{1,20})(?![\w-])")
"""Two words that may as well be one (e-mail, de-stress)."""
_POSSESSIVE = re.compile(r"'(?:s|d|m|re|ve|ll)?$")
MAX_CHARACTERS = 20_000
"""Characters of a text that are read: it is found by them, and cut down to some of them."""
_MAX_WORD = 40
"""Letters of a term: what is longer is no word (a hash, a picture in letters)."""


def terms_of(text: str) -> list[str]:
    """The terms of `text`, as often as they are in it and in their order."""
    return [term for run in _runs(text) for term in run]


def is_single_character(term: str) -> bool:
    """Whether it is one character of a script without spaces."""
    return len(term) == 1 and _is_dense_char(term)


@lru_cache(maxsize=8192)
def _is_dense_char(sign: str) -> bool:
    return is_dense(sign)


def is_dense(text: str) -> bool:
    """Whether it begins in a script without spaces."""
    return bool(_dense_pattern().match(text))


def normalize(text: str) -> str:
    """`text` with one form for what looks the same: wide letters, quotes, accents."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_accent_table())


def _runs(text: str) -> Iterator[list[str]]:
    said = _NEGATION.sub(" not ", normalize(text))
    if "-" in said:
        said = _HYPHENATED.sub(r"\1 \2 \1\2", said)
    for dense, sign, word in _TOKEN.findall(said):
        if dense:
            yield [*character_pairs(dense), *filter(is_kept, dense)]
        elif sign:
            yield [f"e{ord(sign):x}"]
        elif word.isdigit():  # they are without end: none is remembered
            yield [as_token(word[:_MAX_WORD])]
        else:
            for part in _POSSESSIVE.sub("", word).split("'"):
                yield _word_terms(part)


def character_pairs(run: str) -> list[str]:
    """The pairs of neighbouring characters of `run`, as terms."""
    return [as_token(run[at : at + 2]) for at in range(len(run) - 1)]


@lru_cache(maxsize=4096)
def _word_terms(word: str) -> list[str]:
    whole = as_token(stem(word.casefold()[:_MAX_WORD]))
    parts = _CASE_CHANGE.split(word) if not (word.islower() or word.isupper()) else [word]
    if len(parts) == 1:
        return [whole] if whole else []
    return [whole, *(as_token(stem(part.casefold())) for part in parts if len(part) > 1)]


def stem(word: str) -> str:
    """An English word without its ending; others mostly as they are."""
    word = _irregular_stems().get(word, word)
    return stems.stem(word) if word.isascii() and word.isalpha() else word


_IRREGULAR_FORMS = (
    "begin began begun|break broke broken|bring brought|build built|buy bought|catch caught|"
    "choose chose chosen|come came|draw drew drawn|drink drank drunk|drive drove driven|"
    "eat ate eaten|fall fell fallen|feel felt|fight fought|find found|fly flew flown|"
    "forget forgot forgotten|get got gotten|give gave given|go went gone|grow grew grown|"
    "hear heard|hide hid hidden|hold held|keep kept|know knew known|lead led|leave left|lend lent|"
    "lose lost|make made|mean meant|meet met|pay paid|read|ride rode ridden|run ran|say said|"
    "see saw seen|sell sold|send sent|sing sang sung|sit sat|sleep slept|speak spoke spoken|"
    "spend spent|stand stood|steal stole stolen|swim swam swum|take took taken|teach taught|"
    "tell told|think thought|throw threw thrown|understand understood|wear wore worn|win won|"
    "write wrote written|child children|foot feet|tooth teeth|mouse mice|person people|wife wives|"
    "man men|woman women|knife knives|leaf leaves|life lives"
)
"""Forms that no ending tells: the first of each group stands for all."""


@cache
def _irregular_stems() -> dict[str, str]:
    groups = [group.split() for group in _IRREGULAR_FORMS.split("|")]
    return {form: first for first, *others in groups for form in others}


_LETTER_REPLACEMENTS = "ø=o Ø=O ł=l Ł=L đ=d Đ=D ð=d Ð=D ħ=h Ħ=H ı=i æ=ae Æ=Ae œ=oe Œ=Oe þ=th Þ=Th"
"""Letters that Unicode doesn't take apart, as who has no key for them writes."""


def _split_pair(pair: str) -> tuple[str, str, str]:
    return pair.partition("=")


@cache
def _dense_pattern() -> re.Pattern[str]:
    return re.compile(f"[{SCRIPTS_WITHOUT_SPACES}]")


@cache
def _accent_table() -> dict[int, str]:
    """Latin letters with accents → without; apostrophes → one."""
    found: dict[int, str] = {0x2018: "'", 0x2019: "'", 0x02BC: "'"}
    found |= {
        ord(sign): letters for sign, _, letters in map(_split_pair, _LETTER_REPLACEMENTS.split())
    }
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base.isascii():
            found[code] = base
    return found
