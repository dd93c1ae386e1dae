"""Which of what was said answers a question: scores, and nothing but scores. Pure.

BM25 over the terms of a text, a little for those of its neighbours in the conversation; then the
days that are named, who is meant, six rare words of the best three, a gentle decay, and of several
texts that say the same or correct one another the newest first. What each part gained is in
`docs/decisions/025` and `072`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from math import exp, log
from typing import NamedTuple

from neodeskpet.core.schedule.words.named_days import Span
from neodeskpet.memory.recall.dates import is_mark, marks_within
from neodeskpet.memory.recall.query import Query, is_matter
from neodeskpet.memory.recall.words import is_single
from neodeskpet.memory.recollection import Side

K1, B = 1.2, 0.75
NEAR = 0.15
"""What a term counts that a neighbour says."""
ON_DAY, MENTIONS_DAY = 0.6, 0.3
"""Shares of the best score, for what was said on a named day and for what speaks of it."""
MENTIONS_YEAR = 0.15
LEAST_OF_DAY = 0.3
"""Of the score of a text that says all of the question: what those shares are of at least."""
NAMED, OF_SIDE = 1.8, 1.6
ASKED = 0.5
"""What a term counts in a sentence that asks: it was asked before, and who asked didn't know."""
ANSWERS = 1.0
"""What a term counts that another asked for just before: an answer leaves those words out."""
ALIKE = 0.3
"""What a word counts that people say for the one that is asked for."""
MEANT = 0.3
"""What the meaning counts beside the words, where it is known (measured: `docs/decisions/046`)."""
HALF_LIFE, FLOOR = timedelta(days=180), 0.9
_HALVES = -log(2)
FEEDBACK, FEEDBACK_TERMS, FEEDBACK_FROM = 0.2, 6, 3
_CORRECTS = 0.5
"""Share of common terms from which the newer of two texts says what holds now."""
_CORRECTS_SAID = 0.3
"""… where it says itself that something has changed."""
_REPEATS = 0.7
"""Share of common terms from which one text is the other again."""
_ANSWERS_TOO = 0.75
"""Share of the older one's score that the newer must have for that."""
_OLDER = 0.55
"""What is left of the score of a text that a newer one replaces."""
_LOOKED_AT = 40
"""So many of the best are compared with one another."""


class Candidate(NamedTuple):
    """A text that may answer. `terms` as `words.terms_of` gives them, `near` those of each of its
    neighbours; `length` is in terms that aren't single characters; `time` is the clock on the wall.
    `corrects`: it says that something has changed; `asks`: it is nothing but a question. `asked`
    are those of its terms that stand in questions, `answers` those of the question just before it.
    `near_length` is that of its neighbours together.
    """

    number: int
    speaker: str
    side: Side
    time: datetime
    terms: Sequence[str]
    length: int
    near: Sequence[Sequence[str]] = ()
    corrects: bool = False
    asks: bool = False
    pinned: bool = False
    asked: Sequence[str] = ()
    answers: Sequence[str] = ()
    near_length: int = 0


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of all texts: how many there are, their mean length in terms, and in how many each term is
    (of those that are asked for).
    """

    rows: int
    mean_length: float
    found_in: Mapping[str, int] = field(default_factory=dict)

    def rarity(self, term: str) -> float:
        """How much a term says: 0 or more."""
        count = min(self.found_in.get(term, 0), self.rows)
        return log(1 + (self.rows - count + 0.5) / (count + 0.5))


class Scored(NamedTuple):
    """`relevance` is 0 to 1, and compares texts for one question. `replaced_by` is the newer text
    that says the same or something else of the same matter.
    """

    number: int
    score: float
    relevance: float
    replaced_by: int | None = None


@dataclass(frozen=True, slots=True)
class Closeness:
    """How near what a text means is to the question, each 0 to 1: `share` beside the nearest of
    all texts, `worth` in itself, `apart` beside others that are near.
    """

    share: float
    worth: float
    apart: float = 0.0


def rank(
    query: Query,
    candidates: Sequence[Candidate],
    statistics: Statistics,
    now: datetime,
    close: Mapping[int, Closeness] | None = None,
    count: int | None = None,
) -> list[Scored]:
    """The `count` best of `candidates` (None: all), best first; those that have nothing to do with
    the question are left out.
    `close`: by number how near they are in meaning; those that aren't there count by their words
    alone, and all do without it.
    """
    close = close or {}
    said = _text_scores(query, candidates, statistics)
    plain = _blend(said, close)
    whole = _whole(query.weights, statistics)
    best = max(plain.values(), default=0.0)
    if query.weights:  # words of which nothing is said don't make a named day worthless
        best = max(best, LEAST_OF_DAY * whole)
    scores = {}
    for one in candidates:
        score = plain[one.number]
        if query.spans:
            score += _day_share(query.spans, one) * (best or 1.0)
        score *= _who(query, one)
        scores[one.number] = score * _decay(now - one.time)
    kept = [one for one in candidates if scores[one.number] > 0]
    replaced = {} if query.past else _replaced(kept, plain)
    for number in replaced:
        scores[number] *= _OLDER
    top = max(scores.values(), default=0.0) or 1.0
    kept.sort(key=lambda one: (scores[one.number], one.time), reverse=True)
    return [
        Scored(
            one.number,
            scores[one.number],
            _relevance(
                scores[one.number] / top, said[one.number] / whole, close.get(one.number), query
            ),
            replaced.get(one.number),
        )
        for one in kept[:count]
    ]


def widen(
    query: Query, best: Sequence[Candidate], statistics: Statistics
) -> tuple[Query, tuple[str, ...]]:
    """`query` with the rare words of the `best` candidates, which count little; and those words."""
    seen: Counter[str] = Counter()
    for one in best[:FEEDBACK_FROM]:
        seen.update({term for term in one.terms if not is_single(term) and not is_mark(term)})
    new = [term for term in seen if term not in query.weights]
    new.sort(key=lambda term: (-seen[term] * statistics.rarity(term), term))
    words = tuple(new[:FEEDBACK_TERMS])
    return replace(query, weights={**query.weights, **dict.fromkeys(words, FEEDBACK)}), words


def pick_different(best: Iterable[Candidate], count: int = FEEDBACK_FROM) -> list[Candidate]:
    """The first `count` that don't say the same as one before: who repeats a thing says no more."""
    picked: list[Candidate] = []
    said: list[frozenset[str]] = []
    for one in best:
        terms = frozenset(one.terms)
        if any(_share(terms, other) > _REPEATS for other in said):
            continue
        picked.append(one)
        said.append(terms)
        if len(picked) == count:
            break
    return picked


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    """Of the terms of both, those that are common."""
    return len(one & other) / (len(one | other) or 1)


def _text_scores(
    query: Query, candidates: Sequence[Candidate], statistics: Statistics
) -> dict[int, float]:
    """BM25 of each, with a little of its neighbours' words."""
    worth = {term: weight * statistics.rarity(term) for term, weight in query.weights.items()}
    for term, asked in query.alike.items():
        worth[term] = ALIKE * query.weights.get(asked, 0.0) * statistics.rarity(term)
    less, more = (0.0, 0.0) if query.about_asking else (ASKED - 1, ANSWERS - NEAR)
    mean = max(statistics.mean_length, 1.0)
    tallies: dict[int, Mapping[str, float]] = {}

    def tally(terms: Sequence[str]) -> Mapping[str, float]:
        """A text is counted once, though it is a neighbour of others too."""
        known = tallies.get(id(terms))
        if known is None:
            known = tallies[id(terms)] = _counts(terms, worth)
        return known

    scores = {}
    for one in candidates:
        counts = tally(one.terms)
        beside = [(terms, NEAR) for terms in one.near]
        for terms, share in (*beside, (one.answers, more), (one.asked, less)):
            if said := tally(terms):
                counts = dict(counts)
                for term, often in said.items():
                    counts[term] = counts.get(term, 0.0) + share * often
        # Without its neighbours' share an "Okay." between two long replies would say all of both.
        norm = K1 * (1 - B + B * (one.length + NEAR * one.near_length) / mean)
        score = 0.0
        for term, often in counts.items():
            score += worth[term] * often / (often + norm)
        scores[one.number] = (K1 + 1) * score
    return scores


def _counts(terms: Sequence[str], wanted: Mapping[str, float]) -> dict[str, float]:
    """How often each of the wanted terms is there: most texts have few or none of them. In an order
    that is the same in each process, for sums of floats depend on it.
    """
    counts: dict[str, float] = {}
    for term in sorted(filter(wanted.__contains__, terms)):
        counts[term] = counts.get(term, 0.0) + 1.0
    return counts


def _blend(said: Mapping[int, float], close: Mapping[int, Closeness]) -> Mapping[int, float]:
    """What the words say and what is meant, linearly."""
    if not close:
        return said
    best = max(said.values(), default=0.0) or 1.0
    return {
        number: score
        if number not in close
        else (1 - MEANT) * score + MEANT * close[number].share * best
        for number, score in said.items()
    }


def _day_share(spans: Sequence[Span], one: Candidate) -> float:
    """How much of the best score is added for the days that are named."""
    share = 0.0
    day = one.time.date()
    for span in spans:
        weight = 1.0 if span.days <= 7 else 0.6 if span.days <= 31 else 0.25
        if span.first <= day <= span.last:
            share = max(share, ON_DAY * weight)
        elif not marks_within(span).isdisjoint(one.terms):
            mentions = MENTIONS_DAY * weight if span.days <= 31 else MENTIONS_YEAR
            share = max(share, mentions)
    return share


def _who(query: Query, one: Candidate) -> float:
    if query.speakers and one.speaker.casefold() in query.speakers:
        return NAMED
    return OF_SIDE if query.side is not None and one.side is query.side else 1.0


def _decay(age: timedelta) -> float:
    """From 1 down to FLOOR; what lies ahead isn't older than now."""
    periods = max(age / HALF_LIFE, 0.0)
    return FLOOR + (1 - FLOOR) * exp(_HALVES * min(periods, 60.0))


def _replaced(candidates: Sequence[Candidate], plain: Mapping[int, float]) -> dict[int, int]:
    """The texts that a newer one of the same voice replaces, and by which. The newer must answer
    the question about as well: else it is of another matter, in the same words.
    """
    best = sorted(candidates, key=lambda one: -plain[one.number])[:_LOOKED_AT]
    voices: dict[tuple[Side, str, bool], list[Candidate]] = {}
    for one in sorted(best, key=lambda one: (one.time, one.number), reverse=True):
        if one.side is Side.DOCUMENT:
            continue
        voices.setdefault((one.side, one.speaker, one.asks), []).append(one)
    found: dict[int, int] = {}
    for newest in voices.values():
        matters = _matters(newest)
        worths = [plain[one.number] for one in newest]
        gone: set[int] = set()
        for at, old in enumerate(newest):
            if old.pinned:
                continue
            needed = _ANSWERS_TOO * worths[at]
            for place in range(at):
                if worths[place] < needed or place in gone:
                    continue
                if _replaces(newest[place], matters[place], matters[at]):
                    found[old.number] = newest[place].number
                    gone.add(at)
                    break
    return found


class _Matter(NamedTuple):
    """What a text is about: how many terms say it, and which of these others say too."""

    size: int
    shared: frozenset[str]


def _matters(texts: Sequence[Candidate]) -> list[_Matter]:
    if len(texts) < 2:
        return [_Matter(0, frozenset())] * len(texts)
    terms = [_matter(one.terms) for one in texts]
    often: Counter[str] = Counter()
    for one in terms:
        often.update(one)
    shared = frozenset(term for term, texts_with in often.items() if texts_with > 1)
    return [_Matter(len(one), one & shared) for one in terms]


def _replaces(new: Candidate, now: _Matter, before: _Matter) -> bool:
    common = len(now.shared & before.shared)
    if now.size == before.size == common:
        return common > 0
    needed = _CORRECTS_SAID if new.corrects else _CORRECTS
    return common > 1 and common / (now.size + before.size - common) >= needed


def _matter(terms: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(_tells, terms))


@lru_cache(maxsize=16384)
def _tells(term: str) -> bool:
    """Whether a term tells what a text is about. Asked a thousand times in a search, mostly of the
    same terms.
    """
    return not (is_single(term) or is_mark(term)) and is_matter(term)


def _whole(weights: Mapping[str, float], statistics: Statistics) -> float:
    """The score of a text of usual length that says each word of the question once."""
    return sum(weight * statistics.rarity(term) for term, weight in weights.items()) or 1.0


def _relevance(of_best: float, of_whole: float, close: Closeness | None, query: Query) -> float:
    """Half how it compares with the best, half how much of the question it holds, in words or in
    meaning. Where only days are asked for, the first alone; where it shares no word with the
    question, the second: something is always the nearest.
    """
    if close is not None and of_whole <= 0 and query.weights:
        return round(0.99 * close.worth, 4)
    held = max(min(of_whole, 1.0), close.worth if close is not None else 0.0)
    said = held if query.weights else of_best
    return round(0.99 * (of_best + said) / 2, 4)
