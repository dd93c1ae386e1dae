"""What of the person's own words is a fact about them. Pure.

97 of 100 things that others take for facts are junk, so this takes little: a sentence that has one
of the forms in which people say something lasting of themselves (`english`, `chinese`), and nothing
in it that makes it a question, an order, a quotation, a guess, or the mood of a day (`vetoes`).
What the person asks to be remembered may have any form, but for what no fact may hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from neodeskpet.memory.facts.chinese import chinese_claims
from neodeskpet.memory.facts.english import english_claims
from neodeskpet.memory.facts.fact import MAX_FACT, FactClaim
from neodeskpet.memory.facts.sentences import normalized, own_sentences
from neodeskpet.memory.facts.vetoes import is_refused, is_temporary
from neodeskpet.memory.recall.words import is_dense, is_single_character, terms_of

_CHINESE_CHARS = re.compile("[\u3400-\u9fff]")
_CLAUSE_START = re.compile(r"(?i)(?:[,;] ?| )(?:and|but|so) (?=(?:i|my|we|our|he|she|they|it)\b)")
"""Between two things that are said in one breath: "My name is Ida and I'm a baker"."""
_REMEMBER_REQUEST = re.compile(
    r"(?i)\b(?:please )?(?:remember|keep in mind|note|don't forget|memori[sz]e)(?: that|:|"
    r",)? (?=\w)"
    r"|(?:请|帮我)?(?:记住|记得|记一下|记下来?|别忘了|不要忘了)[，,：: ]*(?=.)"
)
_NEUTRAL_TERMS = frozenset(
    terms_of(
        "the a an person user they their them is are was be has have does do not lives live likes "
        "like loves love name named called from in on at of to and or for with by who as works "
        "work prefers i me my mine you your birthday age years old also he she his her"
    )
)
_NEUTRAL_CHARS = frozenset("用户的他她是在叫喜欢名字不有和住于生日年人与")


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """Words of the person, as they wrote them, and what they say."""

    words: str
    claim: FactClaim


def find_facts(text: str) -> list[FactCandidate]:
    """What a message of the person says of them, in its order."""
    return [said for sentence in own_sentences(text) for said in find_in_sentence(sentence)]


def find_in_sentence(sentence: str) -> list[FactCandidate]:
    """What one sentence of the person's own says of them."""
    if is_refused(sentence):
        return []
    if _CHINESE_CHARS.search(sentence):
        return [
            FactCandidate(words, claim)
            for words, claim in chinese_claims(sentence)
            if not _is_lasting(words, claim)
        ]
    return [
        FactCandidate(words, claim)
        for words in _CLAUSE_START.split(sentence)
        for claim in english_claims(words)
        if not _is_lasting(sentence, claim)
    ]


def _is_lasting(words: str, claim: FactClaim) -> bool:
    """A date has its day, and a new home has come to stay."""
    return is_temporary(words) and claim.topic.split(" ")[0] not in _LASTING_TOPICS


_LASTING_TOPICS = frozenset({"name", "birthday", "home", "date", "age"})


def is_remember_request(sentence: str) -> bool:
    """Whether the person asks in it that something be remembered, which may be."""
    return bool(_REMEMBER_REQUEST.search(sentence)) and not is_refused(sentence)


def find_claim(text: str) -> FactClaim:
    """What a fact says, however it came to be: it contradicts others of its topic."""
    for said in find_in_sentence(text):
        return said.claim
    return FactClaim()


def find_quoted_sentence(quote: str, message: str) -> str | None:
    """The sentence of the person's own in `message` that holds `quote` word for word; None where
    there is none.
    """
    wanted = normalized(quote)
    if len(wanted) < 2:
        return None
    for sentence in own_sentences(message):
        if wanted in normalized(sentence):
            return sentence
    return None


def can_be_fact(sentence: str) -> bool:
    """Whether a sentence of the person's own may become a fact when a model asks for it."""
    return bool(find_in_sentence(sentence)) or is_remember_request(sentence)


def fact_wording(fact: str, words: str) -> str:
    """How a fact is kept: as the model words it, if all that it says stands in the person's
    `words`; else in these.
    """
    text = " ".join(fact.split())
    if not text or len(text) > MAX_FACT or is_refused(text):
        return words
    known = set(terms_of(words))
    told = {term for term in terms_of(text) if not is_dense(term) or is_single_character(term)}
    new = {
        term for term in told - known if term not in _NEUTRAL_TERMS and term not in _NEUTRAL_CHARS
    }
    return words if new or not told & known else text
