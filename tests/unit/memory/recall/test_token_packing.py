"""Fitting the found items into the available tokens."""

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem
from neodeskpet.memory.recall.text_terms import MAX_CHARACTERS
from neodeskpet.memory.recall.token_packing import LINE_TOKENS, MAX_ITEM_TOKENS, pack_items, shorten


def item(name: str, text: str) -> MemoryItem:
    return MemoryItem(name, "user", ItemSide.PERSON, datetime(2026, 1, 1), text)


def test_a_long_text_is_cut_to_the_relevant_part() -> None:
    text = "It rained. " * 80 + "The code of the door is 4471. " + "It rained. " * 80
    short = shorten(text, {"door": 1.0, "code": 1.0}, 60)
    assert "The code of the door is 4471." in short
    assert estimate_tokens(short) <= 60
    assert short.startswith("It rained.") and short.endswith("…")


def test_a_very_long_sentence_is_cut_around_the_word() -> None:
    short = shorten("雨" * 900 + "门锁密码是四四七一" + "雪" * 900, {"门锁": 1.0}, 60)
    assert "门锁密码是四四七一" in short and short[0] == short[-1] == "…"


def test_an_item_that_does_not_fit_is_skipped_for_a_shorter_one() -> None:
    found = [
        (item("a", "word " * 60), 0.9),
        (item("b", "long " * 90), 0.8),
        (item("c", "tea"), 0.7),
    ]
    packed = pack_items(found, {}, 80 + 2 * LINE_TOKENS)
    assert [one.item.id for one in packed] == ["a", "c"]
    assert [one.relevance for one in packed] == [0.9, 0.7]


def test_equal_texts_are_given_once() -> None:
    packed = pack_items([(item("a", "tea"), 0.9), (item("b", "tea"), 0.8)], {}, 500)
    assert [one.item.id for one in packed] == ["a"]


def test_only_the_searchable_part_of_a_long_text_is_read() -> None:
    text = "It rained. " * (MAX_CHARACTERS // 11) + "The code of the door is 4471. " * 3
    for asked in (text, text * 40):
        (told,) = pack_items([(item("a", asked), 0.9)], {"door": 1.0, "code": 1.0}, 500)
        assert "4471" not in told.text and told.text.endswith("…")
        assert estimate_tokens(told.text) <= MAX_ITEM_TOKENS


@given(st.lists(st.text(max_size=60).map(lambda text: text * 9), max_size=8), st.integers(0, 600))
def test_the_budget_is_kept(texts: list[str], budget: int) -> None:
    found = [(item(str(at), text), 0.5) for at, text in enumerate(texts)]
    packed = pack_items(found, {"a": 1.0}, budget)
    assert sum(LINE_TOKENS + estimate_tokens(one.text) for one in packed) <= budget + 3 * len(
        packed
    )
    assert all(
        estimate_tokens(one.text) <= MAX_ITEM_TOKENS + 3 and "\n" not in one.text for one in packed
    )
