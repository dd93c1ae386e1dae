"""Scores and ranks texts that may answer a question. Pure.

BM25 over the terms of a text, with a small share for the terms of its neighbours in the
conversation; then the named days, the speaker, six rare words of the best three texts, and a slow
decay; of texts that repeat or correct one another the newest comes first. `docs/decisions/025` and
`072` have the gain of each part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import exp, log
from typing import NamedTuple

from neodeskpet.core.schedule.parsing.named_days import NamedDays
from neodeskpet.memory.recall.recall_query import RecallQuery, is_topic_word
from neodeskpet.memory.recall.recall_types import ItemSide
from neodeskpet.memory.recall.text_terms import (
    NO_TERMS,
    TermText,
    is_date_term,
    is_single_character,
    span_terms,
)

BM25_K1, BM25_B = 1.2, 0.75
NEIGHBOUR_WEIGHT = 0.15
"""Weight of a term in a neighbour."""
SAID_ON_DAY_WEIGHT, MENTIONED_DAY_WEIGHT = 0.6, 0.3
"""Shares of the best score, for texts said on a named day and for texts that mention it."""
MENTIONED_YEAR_WEIGHT = 0.15
MIN_DAY_SHARE = 0.3
"""Minimum of the score to which these shares apply, as a part of the score of a text with all words
of the question.
"""
NAMED_SPEAKER_FACTOR, SIDE_FACTOR = 1.8, 1.6
TIME_ANSWER_FACTOR, AMOUNT_ANSWER_FACTOR = 1.25, 1.15
"""Factors for a text that names days if a time is asked for, and for one with a number if an amount
is.
"""
QUESTION_FACTOR = 0.5
"""Weight of a term in a question: it was asked before, and the speaker didn't know the answer."""
ANSWER_WEIGHT = 1.0
"""Weight of a term that another speaker asked for just before: an answer leaves these words out."""
SIMILARITY_LIMIT = 0.3
"""Weight of a synonym."""
SIMILARITY_WEIGHT = 0.3
"""Weight of the similarity beside the words, if it is known (measured: `docs/decisions/046`)."""
HALF_LIFE, MIN_DECAY = timedelta(days=180), 0.9
_HALVES = -log(2)
FEEDBACK_WEIGHT, FEEDBACK_TERMS, FEEDBACK_CANDIDATES = 0.2, 6, 3
_CORRECTION_OVERLAP = 0.5
"""Share of common terms from which the newer of two texts is the valid one,"""
_SAME_VOICE_OVERLAP = 0.3
"""and the share if it says itself that something has changed."""
_REPEAT_OVERLAP = 0.7
"""Share of common terms from which one text repeats the other."""
_NEWER_SCORE_SHARE = 0.75
"""Minimum score of the newer text, as a share of the older one's score."""
_REPLACED_FACTOR = 0.55
"""Factor for the score of a text that a newer one replaces."""
_MAX_COMPARED = 40
"""Number of the best texts that are compared with each other."""


class Candidate(NamedTuple):
    """A text that may answer. `terms` are those of `text_terms.terms_of`, `neighbours` the terms of
    each neighbour. `length` counts terms that aren't single characters. `time` is local clock time.
    `is_correction`: it says that something has changed. `is_question`: it is only a question.
    `asked` are its terms in questions, `answers` the terms of the question just before it.
    `neighbours_length` is the total length of its neighbours.
    """

    number: int
    speaker: str
    side: ItemSide
    time: datetime
    terms: TermText
    length: int
    neighbours: Sequence[TermText] = ()
    is_correction: bool = False
    is_question: bool = False
    pinned: bool = False
    asked: TermText = NO_TERMS
    answers: TermText = NO_TERMS
    neighbours_length: int = 0


CountTerms = Callable[[Sequence[Candidate], frozenset[str]], Mapping[TermText, Mapping[str, float]]]
"""Counts the wanted terms in the texts of candidates and of their neighbours. The result may leave
out texts that contain none. The terms of a text have the same order in every process.
"""


@dataclass(frozen=True, slots=True)
class IndexStatistics:
    """Statistics of all texts: their number, their mean length in terms, and the number of texts
    with each query term.
    """

    rows: int
    mean_length: float
    found_in: Mapping[str, int] = field(default_factory=dict)

    def inverse_frequency(self, term: str) -> float:
        """Return the inverse document frequency of a term: 0 or more."""
        count = min(self.found_in.get(term, 0), self.rows)
        return log(1 + (self.rows - count + 0.5) / (count + 0.5))


class ScoredCandidate(NamedTuple):
    """`relevance` is 0 to 1, comparable for one question. `replaced_by` is a newer text that
    repeats or corrects it.
    """

    number: int
    score: float
    relevance: float
    replaced_by: int | None = None


@dataclass(frozen=True, slots=True)
class Similarity:
    """Similarity of a text to the question, each 0 to 1: `relative` to the nearest of all texts,
    `absolute`, and `distinct` from other near texts.
    """

    relative: float
    absolute: float
    distinct: float = 0.0


def rank(
    query: RecallQuery,
    candidates: Sequence[Candidate],
    statistics: IndexStatistics,
    now: datetime,
    close: Mapping[int, Similarity] | None = None,
    count: int | None = None,
    counts: CountTerms | None = None,
) -> list[ScoredCandidate]:
    """Return the `count` best of `candidates` (None: all), best first; unrelated ones are left out.
    `close` has similarities by number; candidates without one are scored by words alone. `counts`
    counts the terms in their texts, if the caller knows a faster way.
    """
    close = close or {}
    said = _text_scores(query, candidates, statistics, counts or _count_terms)
    plain = _combine_scores(said, close)
    whole = _full_score(query.weights, statistics)
    best = max(plain.values(), default=0.0)
    if query.weights:  # unknown words don't devalue a named day
        best = max(best, MIN_DAY_SHARE * whole)
    scores = {}
    for one in candidates:
        score = plain[one.number]
        if query.spans:
            score += _day_bonus(query.spans, one) * (best or 1.0)
        if score > 0:
            score *= _speaker_factor(query, one) * _answer_factor(query, one)
            scores[one.number] = score * _decay(now - one.time)
    kept = [one for one in candidates if one.number in scores]
    replaced = None if query.asks_for_past else _Replacements(kept, plain)
    order = _best_first(kept, scores, replaced, len(kept) if count is None else count)
    top = order[0][1] if order else 1.0
    return [
        ScoredCandidate(
            number,
            score,
            _relevance(score / top, said[number] / whole, close.get(number), query),
            newer,
        )
        for number, score, newer in order
    ]


def _best_first(
    candidates: Sequence[Candidate],
    scores: Mapping[int, float],
    replaced: _Replacements | None,
    count: int,
) -> list[tuple[int, float, int | None]]:
    """Return the numbers of the `count` best candidates with their scores, and the texts that
    replace them; the newest of equal ones first. Whether a text is replaced, which lowers its
    score, is examined only for those whose turn it is.
    """
    newest = max((one.time for one in candidates), default=datetime.max)
    waiting: list[tuple[float, timedelta, int, int, int | None, bool]] = [
        (-scores[one.number], newest - one.time, place, one.number, None, replaced is None)
        for place, one in enumerate(candidates)
    ]
    heapify(waiting)
    order: list[tuple[int, float, int | None]] = []
    while waiting and len(order) < count:
        worth, age, place, number, newer, is_final = heappop(waiting)
        if not is_final and replaced is not None:
            newer = replaced.newer_than(number)
        if is_final or newer is None:
            order.append((number, -worth, newer))
        else:
            heappush(waiting, (worth * _REPLACED_FACTOR, age, place, number, newer, True))
    return order


def expand_query(
    query: RecallQuery, best: Sequence[Candidate], statistics: IndexStatistics
) -> tuple[RecallQuery, tuple[str, ...]]:
    """Return `query` with the rare words of the `best` candidates at a low weight, and
    these words.
    """
    seen: Counter[str] = Counter()
    for one in best[:FEEDBACK_CANDIDATES]:
        seen.update(
            {
                term
                for term in one.terms.split()
                if not is_single_character(term) and not is_date_term(term)
            }
        )
    new = [term for term in seen if term not in query.weights]
    new.sort(key=lambda term: (-seen[term] * statistics.inverse_frequency(term), term))
    words = tuple(new[:FEEDBACK_TERMS])
    return replace(query, weights={**query.weights, **dict.fromkeys(words, FEEDBACK_WEIGHT)}), words


def remove_repeats(best: Iterable[Candidate], count: int = FEEDBACK_CANDIDATES) -> list[Candidate]:
    """Return the first `count` texts without repetitions."""
    picked: list[Candidate] = []
    said: list[frozenset[str]] = []
    for one in best:
        terms = frozenset(one.terms.split())
        if any(_term_overlap(terms, other) > _REPEAT_OVERLAP for other in said):
            continue
        picked.append(one)
        said.append(terms)
        if len(picked) == count:
            break
    return picked


def _term_overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common terms."""
    return len(one & other) / (len(one | other) or 1)


def _text_scores(
    query: RecallQuery,
    candidates: Sequence[Candidate],
    statistics: IndexStatistics,
    count_terms: CountTerms,
) -> dict[int, float]:
    """Return the BM25 score of each text, with a share of its neighbours' words."""
    worth = {
        term: weight * statistics.inverse_frequency(term) for term, weight in query.weights.items()
    }
    for term, asked in query.synonyms.items():
        worth[term] = (
            SIMILARITY_LIMIT * query.weights.get(asked, 0.0) * statistics.inverse_frequency(term)
        )
    less, more = (
        (0.0, 0.0)
        if query.is_about_question
        else (QUESTION_FACTOR - 1, ANSWER_WEIGHT - NEIGHBOUR_WEIGHT)
    )
    mean = max(statistics.mean_length, 1.0)
    found = count_terms(candidates, frozenset(worth)).get
    scores = {}
    for one in candidates:
        counts = found(one.terms, _NO_COUNTS)
        for neighbour in one.neighbours:
            if said := found(neighbour):
                counts = _add_counts(counts, said, NEIGHBOUR_WEIGHT)
        if one.answers is not NO_TERMS and (said := found(one.answers)):
            counts = _add_counts(counts, said, more)
        if one.asked is not NO_TERMS and (said := found(one.asked)):
            counts = _add_counts(counts, said, less)
        score = 0.0
        if counts:
            # Without the neighbours' share an "Okay." between two long replies would get the score
            # of both.
            length = one.length + NEIGHBOUR_WEIGHT * one.neighbours_length
            norm = BM25_K1 * (1 - BM25_B + BM25_B * length / mean)
            for term, often in counts.items():
                score += worth[term] * often / (often + norm)
        scores[one.number] = (BM25_K1 + 1) * score
    return scores


_NO_COUNTS: Mapping[str, float] = {}


def _count_terms(
    candidates: Sequence[Candidate], wanted: frozenset[str]
) -> dict[TermText, Mapping[str, float]]:
    """Return the counts of the `wanted` terms in the texts of the candidates and of their
    neighbours, each text once. Most neighbours contain none and are left out.
    """
    texts: dict[TermText, None] = {}
    for one in candidates:
        texts[one.terms] = None
        for neighbour in one.neighbours:
            texts[neighbour] = None
        if one.answers is not NO_TERMS:
            texts[one.answers] = None
        if one.asked is not NO_TERMS:
            texts[one.asked] = None
    return {text: counts for text in texts if (counts := text.count(wanted))}


def _add_counts(
    counts: Mapping[str, float], more: Mapping[str, float], share: float
) -> Mapping[str, float]:
    """Return `counts` and a share of `more`."""
    total = dict(counts)
    for term, often in more.items():
        total[term] = total.get(term, 0.0) + share * often
    return total


def _combine_scores(
    said: Mapping[int, float], close: Mapping[int, Similarity]
) -> Mapping[int, float]:
    """Combine word scores and similarities linearly."""
    if not close:
        return said
    best = max(said.values(), default=0.0) or 1.0
    return {
        number: score
        if number not in close
        else (1 - SIMILARITY_WEIGHT) * score + SIMILARITY_WEIGHT * close[number].relative * best
        for number, score in said.items()
    }


def _day_bonus(spans: Sequence[NamedDays], one: Candidate) -> float:
    """Return the share of the best score that is added for the named days."""
    share = 0.0
    day = one.time.date()
    for span in spans:
        weight = 1.0 if span.days <= 7 else 0.6 if span.days <= 31 else 0.25
        if span.first <= day <= span.last:
            share = max(share, SAID_ON_DAY_WEIGHT * weight)
        elif not span_terms(span).isdisjoint(one.terms.split()):
            mentions = MENTIONED_DAY_WEIGHT * weight if span.days <= 31 else MENTIONED_YEAR_WEIGHT
            share = max(share, mentions)
    return share


def _speaker_factor(query: RecallQuery, one: Candidate) -> float:
    if query.speakers and one.speaker.casefold() in query.speakers:
        return NAMED_SPEAKER_FACTOR
    return SIDE_FACTOR if query.side is not None and one.side is query.side else 1.0


def _answer_factor(query: RecallQuery, one: Candidate) -> float:
    """Return a factor above 1 for a text that may contain the kind of answer asked for."""
    factor = 1.0
    if query.asks_when and any(map(is_date_term, one.terms.split())):
        factor *= TIME_ANSWER_FACTOR
    if query.asks_amount and any(map(_is_number, one.terms.split())):
        factor *= AMOUNT_ANSWER_FACTOR
    return factor


_NUMBER_WORDS = frozenset(
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twice")
) | frozenset("两二三四五六七八九十百千")


def _is_number(term: str) -> bool:
    return term.isdigit() or term in _NUMBER_WORDS


def _decay(age: timedelta) -> float:
    """Return a factor from 1 down to a minimum; a future time counts as now."""
    periods = max(age / HALF_LIFE, 0.0)
    return MIN_DECAY + (1 - MIN_DECAY) * exp(_HALVES * min(periods, 60.0))


class _Replacements:
    """Finds the texts that a newer one of the same side replaces. The newer one must answer the
    question about as well; otherwise it is about another subject in the same words.
    """

    def __init__(self, candidates: Sequence[Candidate], plain: Mapping[int, float]) -> None:
        best = sorted(candidates, key=lambda one: -plain[one.number])[:_MAX_COMPARED]
        self._plain = plain
        self._places: dict[int, tuple[list[Candidate], int]] = {}
        self._terms: dict[int, frozenset[str]] = {}
        self._newer: dict[int, int | None] = {}
        voices: dict[tuple[ItemSide, str, bool], list[Candidate]] = {}
        for one in sorted(best, key=lambda one: (one.time, one.number), reverse=True):
            if one.side is not ItemSide.DOCUMENT:
                voice = voices.setdefault((one.side, one.speaker, one.is_question), [])
                self._places[one.number] = voice, len(voice)
                voice.append(one)

    def newer_than(self, number: int) -> int | None:
        """Return the text that replaces a text, if there is one. One that is itself replaced
        replaces none.
        """
        if number not in self._newer:
            self._newer[number] = self._find_newer(number)
        return self._newer[number]

    def _find_newer(self, number: int) -> int | None:
        newest, at = self._places.get(number, ([], 0))
        if not at or newest[at].pinned:
            return None
        needed = _NEWER_SCORE_SHARE * self._plain[number]
        before = self._topic_terms(newest[at])
        for one in newest[:at]:
            if (
                self._plain[one.number] >= needed
                and _is_replacement(one, self._topic_terms(one), before)
                and self.newer_than(one.number) is None
            ):
                return one.number
        return None

    def _topic_terms(self, one: Candidate) -> frozenset[str]:
        terms = self._terms.get(one.number)
        if terms is None:
            terms = self._terms[one.number] = _topic_terms(one.terms.split())
        return terms


def _is_replacement(new: Candidate, now: frozenset[str], before: frozenset[str]) -> bool:
    needed = _SAME_VOICE_OVERLAP if new.is_correction else _CORRECTION_OVERLAP
    common, sizes = len(now & before), len(now) + len(before)
    if 2 * common == sizes:  # the same terms
        return common > 0
    return common > 1 and common / (sizes - common) >= needed


def _topic_terms(terms: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(_is_topic_term, terms))


@lru_cache(maxsize=16384)
def _is_topic_term(term: str) -> bool:
    """Return whether a term is a topic term. A search calls it a thousand times, mostly for the
    same terms, so it is cached.
    """
    return not (is_single_character(term) or is_date_term(term)) and is_topic_word(term)


def _full_score(weights: Mapping[str, float], statistics: IndexStatistics) -> float:
    """Return the score of a text of mean length that contains each word of the question once."""
    return (
        sum(weight * statistics.inverse_frequency(term) for term, weight in weights.items()) or 1.0
    )


def _relevance(
    of_best: float, of_whole: float, close: Similarity | None, query: RecallQuery
) -> float:
    """Return the relevance: half from the comparison with the best text, half from the share of the
    question that it contains, in words or in meaning. If only days are asked for, only the first
    half counts; if it shares no word with the question, only the second, because some text is
    always the nearest.
    """
    if close is not None and of_whole <= 0 and query.weights:
        return round(0.99 * close.absolute, 4)
    held = max(min(of_whole, 1.0), close.absolute if close is not None else 0.0)
    said = held if query.weights else of_best
    return round(0.99 * (of_best + said) / 2, 4)
