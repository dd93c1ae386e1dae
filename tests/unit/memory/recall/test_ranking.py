"""Ranking of texts that are few enough to be compared by hand."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.memory.recall.ranking import (
    Candidate,
    IndexStatistics,
    ScoredCandidate,
    Similarity,
    expand_query,
    rank,
    remove_repeats,
)
from neodeskpet.memory.recall.recall_query import RecallQuery, build_query
from neodeskpet.memory.recall.recall_types import ItemSide
from neodeskpet.memory.recall.text_terms import TermText, date_terms, terms_of

NOW = datetime(2026, 1, 4, 9)
LAST_YEAR = NOW - timedelta(days=365)


def say(
    number: int,
    text: str,
    time: datetime = LAST_YEAR,
    side: ItemSide = ItemSide.PERSON,
    **more: object,
) -> Candidate:
    terms = [*terms_of(text), *date_terms(text, time)]
    made = Candidate(number, side.value, side, time, TermText.of(terms), len(terms))
    return made._replace(**more)  # type: ignore[arg-type]


def ask(
    text: str, *candidates: Candidate, close: Mapping[int, Similarity] | None = None
) -> list[ScoredCandidate]:
    query = build_query(text, NOW, [one.speaker for one in candidates])
    said = [frozenset(one.terms.split()) for one in candidates]
    counts = {term: sum(term in other for other in said) for one in said for term in one}
    return rank(query, candidates, IndexStatistics(1000, 8.0, counts), NOW, close)


def order(text: str, *candidates: Candidate) -> list[int]:
    return [one.number for one in ask(text, *candidates)]


def test_rare_words_and_short_texts_win() -> None:
    assert order(
        "the lighthouse keeper",
        say(1, "a keeper of bees, and of hens, and of many other things besides them"),
        say(2, "the lighthouse keeper"),
        say(3, "soup"),
    ) == [2, 1]


def test_a_short_reaction_between_long_replies_has_little_weight() -> None:
    reply = terms_of("a lighthouse, a lighthouse and " + "bread, films and walks, " * 9)
    length = 2 * len(reply)
    hum = say(1, "Okay.", neighbours=[TermText.of(reply)] * 2, neighbours_length=length)
    passing = say(2, "by the way we went on from there to see the old lighthouse in the fog")
    assert order("the lighthouse", hum, passing) == [2, 1]
    assert order("the lighthouse", hum._replace(neighbours_length=0), passing) == [1, 2]


def test_a_named_day_counts_although_little_else_fits() -> None:
    words = say(1, "ask him about it", LAST_YEAR)
    day = say(2, "cocoa on the roof", NOW - timedelta(days=1))
    assert order("Did I ask for the xylophone yesterday?", words, day)[0] == 2


def test_synonyms_match_with_less_weight() -> None:
    assert order("the movie", say(1, "the film"), say(2, "the movie"), say(3, "soup")) == [2, 1]


def test_a_text_with_a_day_answers_when() -> None:
    dated = say(1, "the lighthouse burned yesterday, poor keepers of the coast")
    plain = say(2, "the lighthouse burned down in her novel about whales")
    assert order("When did the lighthouse burn?", plain, dated) == [1, 2]
    assert order("Why did the lighthouse burn?", plain, dated) == [2, 1]


def test_a_text_with_a_number_answers_how_many() -> None:
    counted = say(1, "my hens lay three eggs in the straw behind the barn")
    plain = say(2, "my hens hide eggs from Ida under a cart")
    assert order("How many eggs from the hens?", plain, counted) == [1, 2]
    assert order("Which eggs from the hens?", plain, counted) == [2, 1]


def test_a_perfect_match_of_years_ago_comes_before_a_poor_one_of_today() -> None:
    old = say(1, "the spare key lies under the flowerpot", NOW - timedelta(days=3000))
    assert order("spare key", say(2, "the key of the song is minor", NOW), old)[0] == 1


def test_of_equal_texts_the_newer_come_first() -> None:
    assert order("song", say(1, "a song for Ida"), say(2, "that song again", NOW))[0] == 2


def test_a_neighbouring_message_adds_a_little() -> None:
    told, other = (
        say(1, "Pumpernickel", neighbours=[TermText.of(terms_of("name of your dog"))]),
        say(2, "Rye"),
    )
    assert order("my dog", told, other) == [1]


def test_a_day_that_is_named() -> None:
    on_day = say(1, "we baked bread", datetime(2026, 1, 3, 20))
    speaks_of_it = say(2, "tomorrow the oven comes", datetime(2026, 1, 2, 20))
    other = say(3, "we slept", datetime(2025, 5, 1, 20))
    assert order("what did we do yesterday?", other, speaks_of_it, on_day) == [1, 2]


def test_whose_words_are_meant() -> None:
    person = say(1, "a book about the sea")
    companion = say(2, "a book about the sea", side=ItemSide.COMPANION)
    assert order("which book did you recommend?", person, companion)[0] == 2
    assert order("which book did I tell you about?", person, companion)[0] == 1
    ida = say(3, "a book about the sea", speaker="Ida")
    assert order("which book did Ida like?", person, ida)[0] == 3


def test_a_corrected_item_comes_later_unless_the_past_is_asked_for() -> None:
    old = say(1, "My favourite colour is blue.")
    new = say(2, "My favourite colour is green.", NOW)
    assert order("What is my favourite colour?", old, new) == [2, 1]
    replaced = {one.number: one.replaced_by for one in ask("my favourite colour", old, new)}
    assert replaced == {1: 2, 2: None}
    past = ask("What was my favourite colour before?", old, new)
    assert {one.replaced_by for one in past} == {None}


def test_an_explicit_correction_needs_less_in_common() -> None:
    old = say(1, "I work as a nurse at the harbour hospital")
    new = say(2, "I no longer work at the harbour, I teach music", NOW)
    for corrects, replaced in ((False, None), (True, 2)):
        found = ask("where do I work?", old, new._replace(is_correction=corrects))
        assert next(one.replaced_by for one in found if one.number == 1) == replaced


def test_common_content_words_decide_whether_one_text_corrects_another() -> None:
    for before, now, replaced in (
        ("I can't eat peanuts", "I can't eat cashews", False),
        ("我不吃香菜", "我不吃芹菜", False),
        ("Our wifi password is heron", "I changed the wifi password, it is otter now", True),
        ("我的身高是一米七二", "刚量了，我的身高其实是一米七四", True),
    ):
        old, new = say(1, before), say(2, now, NOW, is_correction=True)
        found = {one.number: one.replaced_by for one in ask(f"{before} {now}", old, new)}
        assert found[1] == (2 if replaced else None), before


def test_a_repetition_adds_no_further_terms() -> None:
    soup = [say(at, f"Lunch was soup and bread, nothing special {at}") for at in range(1, 5)]
    lentils = say(9, "I made a soup of lentils")
    assert remove_repeats([*soup, lentils]) == [soup[0], lentils]


def test_items_of_another_topic_another_speaker_or_pinned_ones_are_not_replaced() -> None:
    age, job = say(1, "我同事张三的职业是教师"), say(2, "我同事张三的年龄是三十岁", NOW)
    assert order("张三的职业是什么？", age, job)[0] == 1
    blue = say(3, "My favourite colour is blue.")
    green = say(4, "My favourite colour is green.", NOW, ItemSide.COMPANION)
    for old in (blue, say(5, "My favourite colour is blue.", pinned=True)):
        new = green if old is blue else green._replace(side=ItemSide.PERSON, speaker=old.speaker)
        assert all(one.replaced_by is None for one in ask("favourite colour", old, new))


def test_an_earlier_question_neither_answers_nor_replaces() -> None:
    told = say(1, "My locker code is 4711")
    asked = say(2, "What is my locker code?", NOW, is_question=True)
    asked = asked._replace(asked=asked.terms)
    found = ask("What is my locker code?", told, asked)
    assert [one.number for one in found] == [1, 2]
    assert {one.replaced_by for one in found} == {None}


def test_an_answer_leaves_out_the_words_of_its_question() -> None:
    asks = say(1, "Which animals do you keep?")
    asks = asks._replace(asked=asks.terms)
    beside = say(2, "Two geese!", neighbours=[asks.terms])
    answer = say(3, "Two geese!", neighbours=[asks.terms], answers=asks.terms)
    assert order("animals that I keep", beside, asks, answer) == [3, 1, 2]
    assert order("what animals did I ask about?", beside, asks, answer)[0] == 1


def test_a_year_that_is_named() -> None:
    told = say(1, "Last year we saw an otter", NOW - timedelta(days=200))
    other = say(2, "We all saw an otter there", NOW - timedelta(days=200))
    assert order("the otter", other, told)[0] == 2
    assert order("the otter of 2024", other, told)[0] == 1


def test_rare_words_of_the_best_items_extend_the_query() -> None:
    query = RecallQuery({"concert": 1.0})
    best = [say(1, "the concert in Lund with cello"), say(2, "the cello concert")]
    statistics = IndexStatistics(
        1000, 8.0, {"cello": 2, "lund": 4, "the": 900, "in": 800, "with": 500}
    )
    wider, words = expand_query(query, best, statistics)
    assert words[0] == "cello" and "lund" in words
    assert wider.weights["concert"] == 1.0 > wider.weights["cello"] > 0
    assert len(words) <= 6


def test_a_text_that_repeats_one_word_is_ranked_too() -> None:
    endless = say(1, "song")._replace(terms=TermText.of(["song"] * 300_000), length=300_000)
    assert sorted(order("song", endless, say(2, "a song"))) == [1, 2]


def test_without_a_match_nothing_is_found() -> None:
    assert ask("lighthouse", say(1, "soup")) == []
    assert ask("lighthouse") == []


WORDS = "猫 狗 喜欢 tea coffee not blue green yesterday 昨天 I you"
words = st.sampled_from(WORDS.split())
texts = st.lists(words, max_size=6).map(" ".join)
candidates = st.lists(
    st.builds(
        lambda number, text, days, side: say(number, text, NOW - timedelta(days=days), side),
        st.integers(1, 10**6),
        texts,
        st.integers(-400, 4000),
        st.sampled_from(ItemSide),
    ),
    max_size=8,
    unique_by=lambda one: one.number,
)


@given(texts, candidates)
def test_scores_are_ordered_and_relevances_are_shares(text: str, found: list[Candidate]) -> None:
    ranked = ask(text, *found)
    scores = [one.score for one in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= one.relevance < 1 and one.score > 0 for one in ranked)
    newer = {one.number: one.replaced_by for one in ranked if one.replaced_by is not None}
    times = {one.number: (one.time, one.number) for one in found}
    assert all(times[old] < times[new] for old, new in newer.items())
    assert ranked == ask(text, *found)


def test_meaning_counts_beside_the_words() -> None:
    """Three tenths of the best; an item without a common word is as relevant as its similarity."""
    texts = say(1, "kettle in kitchen"), say(2, "kettle in cellar"), say(3, "teapot")
    close = {1: Similarity(0.0, 0.0), 2: Similarity(1.0, 0.8), 3: Similarity(0.9, 0.7)}
    found = ask("kettle", *texts, close=close)
    assert [one.number for one in found] == [2, 1, 3]
    assert found[2].relevance == round(0.99 * 0.7, 4)
    assert 3 not in {one.number for one in ask("kettle", *texts)}


def test_a_text_without_a_vector_counts_by_its_words() -> None:
    known, new = say(1, "kettle in kitchen"), say(2, "kettle in cellar")
    found = ask("kettle", known, new, close={1: Similarity(0.0, 0.0)})
    assert [one.number for one in found] == [2, 1]
    assert found[0].score > found[1].score
