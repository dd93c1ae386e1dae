"""Turns texts into search terms, and recognizes questions.

Pure. English words are stemmed; scripts without spaces give single characters and pairs. Named days
and months become separate terms.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from itertools import pairwise

from neodeskpet.core.schedule.parsing.named_days import NamedDays, named_days_in
from neodeskpet.core.text_search import SCRIPTS_WITHOUT_SPACES, as_token, is_kept
from neodeskpet.platform import stemming
from neodeskpet.storage.database_schema import from_column

_EMOJI = "\u2600-\u27bf\u2b50\u2b55\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"

_TOKEN = re.compile(
    rf"([{SCRIPTS_WITHOUT_SPACES}]+)|([{_EMOJI}])|((?:(?![{SCRIPTS_WITHOUT_SPACES}])[^\W_])+(?:'[a-z]{{1,2}}\b)?)"
)
_CASE_CHANGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
_NEGATION = re.compile(r"(?i)\b(?:can|won|[a-z]+n)'t\b|\b(?:cannot|dont|doesnt|didnt|isnt)\b")
_HYPHENATED = re.compile(r"(?<![\w-])([A-Za-z]{1,20})-([A-Za-z]{1,20})(?![\w-])")
"""Two words that may also be written as one (e-mail, de-stress)."""
_POSSESSIVE = re.compile(r"'(?:s|d|m|re|ve|ll)?$")
MAX_CHARACTERS = 20_000
"""Characters of a text that are indexed."""
_MAX_WORD = 40
"""Highest number of letters of a term: longer ones are not words (hashes, ASCII art)."""


class TermText:
    """The terms of a text as they are stored: in UTF-8, with a space between two of them.

    They are split where they are needed and not kept: to keep those of the three hundred texts that
    a search reads takes longer than to split some of them twice.
    """

    __slots__ = ("_stored",)

    def __init__(self, stored: bytes) -> None:
        self._stored = stored

    @classmethod
    def of(cls, terms: Iterable[str]) -> TermText:
        return cls(" ".join(terms).encode("utf-8", "surrogatepass"))

    def split(self) -> list[str]:
        """Return the terms, with repetitions and in order."""
        return from_column(self._stored).split()

    def count(self, wanted: frozenset[str]) -> Mapping[str, int]:
        """Return the count of each of the `wanted` terms that the text contains. Their order is the
        same in every process, because sums of floats depend on it.
        """
        words = self.split()
        if wanted.isdisjoint(words):
            return _NO_COUNTS
        return {term: words.count(term) for term in sorted(wanted.intersection(words))}


class JoinedTexts:
    """The terms of numbered texts as one text, so that a term is searched for in all at once. To
    split the texts takes several times as long.
    """

    def __init__(self, texts: Mapping[int, TermText]) -> None:
        self._numbers = list(texts)
        stored = [text._stored for text in texts.values()]
        self._joined = b" %b " % b"  ".join(stored)
        self._starts = [1]
        for one in stored:
            self._starts.append(self._starts[-1] + len(one) + 2)
        self._places = {number: place for place, number in enumerate(self._numbers)}

    def count(self, term: str, among: Iterable[int] | None = None) -> dict[int, int]:
        """Return how often a term occurs in each text that contains it, by the text's number.
        `among`: search only these texts.
        """
        sought = term.encode("utf-8", "surrogatepass")
        if not sought:
            return {}
        if among is None:
            return self._count(sought, 0, len(self._joined))
        starts = self._starts
        found: dict[int, int] = {}
        for number in among:
            place = self._places[number]
            found |= self._count(sought, starts[place], starts[place + 1])
        return found

    def _count(self, sought: bytes, start: int, end: int) -> dict[int, int]:
        joined, length = self._joined, len(sought)
        found: dict[int, int] = {}
        at = joined.find(sought, start, end)
        while at >= 0:
            if joined[at - 1] == joined[at + length] == _SPACE:
                number = self._numbers[bisect_right(self._starts, at) - 1]
                found[number] = found.get(number, 0) + 1
            at = joined.find(sought, at + 1, end)
        return found


_SPACE = ord(" ")
NO_TERMS = TermText(b"")
_NO_COUNTS: Mapping[str, int] = {}


def terms_of(text: str) -> list[str]:
    """Return the terms of `text`, with repetitions and in order."""
    return [term for run in _runs(text) for term in run]


def count_words(terms: Collection[str]) -> int:
    """Return the number of terms that aren't single characters."""
    return len(terms) - sum(map(is_single_character, (one for one in terms if len(one) == 1)))


def is_single_character(term: str) -> bool:
    """Return whether it is one character of a script without spaces."""
    return len(term) == 1 and _is_dense_char(term)


@lru_cache(maxsize=8192)
def _is_dense_char(sign: str) -> bool:
    return is_dense(sign)


def is_dense(text: str) -> bool:
    """Return whether the text begins in a script without spaces."""
    return bool(_dense_pattern().match(text))


def normalize(text: str) -> str:
    """Return `text` with one form for equivalent characters: wide letters, quotes, accents."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_accent_table())


def _runs(text: str) -> Iterator[list[str]]:
    said = _NEGATION.sub(" not ", normalize(text))
    if "-" in said:
        said = _HYPHENATED.sub(r"\1 \2 \1\2", said)
    for dense, sign, word in _TOKEN.findall(said):
        if dense:
            kept = [*filter(is_kept, dense)]
            if len(kept) == len(dense):
                yield [*map("".join, pairwise(dense)), *kept]
            else:
                yield [*character_pairs(dense), *kept]
        elif sign:
            yield [f"e{ord(sign):x}"]
        elif word.isdigit():  # numbers are unlimited, so they are not cached
            yield [as_token(word[:_MAX_WORD])]
        else:
            for part in _POSSESSIVE.sub("", word).split("'"):
                yield _word_terms(part)


def character_pairs(run: str) -> list[str]:
    """Return the pairs of adjacent characters of `run` as terms."""
    return [as_token(run[at : at + 2]) for at in range(len(run) - 1)]


@lru_cache(maxsize=4096)
def _word_terms(word: str) -> list[str]:
    whole = as_token(stem(word.casefold()[:_MAX_WORD]))
    parts = _CASE_CHANGE.split(word) if not (word.islower() or word.isupper()) else [word]
    if len(parts) == 1:
        return [whole] if whole else []
    return [whole, *(as_token(stem(part.casefold())) for part in parts if len(part) > 1)]


def stem(word: str) -> str:
    """Return an English word without its ending; other words are mostly unchanged."""
    word = _irregular_stems().get(word, word)
    return stemming.stem(word) if word.isascii() and word.isalpha() else word


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
"""Irregular forms: the first of each group represents all."""


@cache
def _irregular_stems() -> dict[str, str]:
    groups = [group.split() for group in _IRREGULAR_FORMS.split("|")]
    return {form: first for first, *others in groups for form in others}


_LETTER_REPLACEMENTS = "ø=o Ø=O ł=l Ł=L đ=d Đ=D ð=d Ð=D ħ=h Ħ=H ı=i æ=ae Æ=Ae œ=oe Œ=Oe þ=th Þ=Th"
"""Letters that Unicode doesn't decompose, as people without such a keyboard write them."""


def _split_pair(pair: str) -> tuple[str, str, str]:
    return pair.partition("=")


@cache
def _dense_pattern() -> re.Pattern[str]:
    return re.compile(f"[{SCRIPTS_WITHOUT_SPACES}]")


@cache
def _accent_table() -> dict[int, str]:
    """Return the table from accented Latin letters to plain ones, and from all
    apostrophes to one.
    """
    found: dict[int, str] = {0x2018: "'", 0x2019: "'", 0x02BC: "'"}
    found |= {
        ord(sign): letters for sign, _, letters in map(_split_pair, _LETTER_REPLACEMENTS.split())
    }
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base.isascii():
            found[code] = base
    return found


_MAX_QUESTION = 300
"""A longer text isn't only a question."""
_QUESTION_END = re.compile(r"(?:[?？]|[吗呢]。?)$")
_SECOND_SENTENCE = re.compile(r"[.!。！；;\n?？]\s*\w")

_QUESTION_CHARS = re.compile(r"[?？吗呢]")
_QUESTION_SENTENCE = re.compile(r"[^.!?。！？；;\n]+(?:[?？]+|(?<=[吗呢])(?=[。\n]|$))")
_TAG_QUESTION = re.compile(
    r"(?i)[,，] *(?:right|huh|eh|ok|okay|yeah|you know|"
    r"(?:is|are|was|were|do|does|did|have|has|can|wo|would)n't \w+)[?？]+$"
    r"|(?:对吧|是吧|好吧|不是吗|对吗|对不对|是不是)[?？]*$"
)
"""A tag question: its sentence is a statement."""


def is_question(text: str) -> bool:
    """Return whether a text is only a question."""
    said = text[:_MAX_QUESTION].strip()
    return bool(_QUESTION_END.search(said)) and not _SECOND_SENTENCE.search(said)


def split_questions(text: str) -> tuple[str, str]:
    """Return the statements and the questions of a text."""
    if not _QUESTION_CHARS.search(text):
        return text, ""
    asked: list[str] = []

    def take(sentence: re.Match[str]) -> str:
        if _TAG_QUESTION.search(sentence[0]):
            return sentence[0]
        asked.append(sentence[0])
        return "\n"

    statements = _QUESTION_SENTENCE.sub(take, text)
    return statements, "\n".join(asked)


_MAX_SHORT_TERMS = 24
"""A longer answer isn't only "I don't know"."""
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
    """Return whether an answer with these terms (`terms_of`) has no content: an interjection, or "I
    don't know".
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


_YEAR_DAYS = 365
"""A range of at least this many days is a year."""


def date_terms(text: str, now: datetime) -> list[str]:
    """Return terms for the days and months that `text` names, so that questions about
    them find it.
    """
    marks: dict[str, None] = {}
    for span in named_days_in(text, now, looking_back=False):
        if span.days <= 3:
            for number in range(span.days):
                marks[day_term(span.first + timedelta(days=number))] = None
        elif span.days <= 31:
            marks[month_term(span.first)] = None
        elif span.days >= _YEAR_DAYS:
            marks[year_term(span.first)] = None
    return list(marks)


def day_term(day: date) -> str:
    return f"dd{day:%Y%m%d}"


def month_term(day: date) -> str:
    return f"dm{day:%Y%m}"


def year_term(day: date) -> str:
    return f"dy{day:%Y}0000"


@lru_cache(maxsize=256)
def span_terms(span: NamedDays) -> frozenset[str]:
    """Return the terms of texts that name a day of `span`: its days and months, its year if it is
    one, and none for other ranges longer than a month.
    """
    if span.days >= _YEAR_DAYS:
        return frozenset((year_term(span.first),))
    if span.days > 31:
        return frozenset()
    days = [day_term(span.first + timedelta(days=at)) for at in range(span.days)]
    return frozenset([*days, month_term(span.first)] if span.days > 7 else days)


def is_date_term(term: str) -> bool:
    """Return whether a term is a date term."""
    return len(term) > 7 and term[:2] in ("dd", "dm", "dy") and term[2:].isdigit()
