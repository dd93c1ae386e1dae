"""Which parts of a text are questions."""

import pytest

from neodeskpet.memory.recall.text_terms import (
    is_empty_answer,
    is_question,
    split_questions,
    terms_of,
)


@pytest.mark.parametrize(
    ("text", "told", "asked"),
    [
        ("The oboe. And you, what do you play?", "The oboe.", "And you, what do you play?"),
        ("我学古筝。你呢？学了多久", "我学古筝。 学了多久", "你呢？"),
        ("你喜欢猫吗\n我喜欢狗。", "我喜欢狗。", "你喜欢猫吗"),
        ("I opened a shop, pretty cool, huh?", "I opened a shop, pretty cool, huh?", ""),
        ("It rained, didn't it?", "It rained, didn't it?", ""),
        ("你住在杭州，对吧？", "你住在杭州，对吧？", ""),
        ("那么呢绒大衣贵。", "那么呢绒大衣贵。", ""),
        ("", "", ""),
    ],
)
def test_statements_and_questions(text: str, told: str, asked: str) -> None:
    parts = split_questions(text)
    assert [" ".join(one.split()) for one in parts] == [told, asked]


def test_a_message_that_is_only_a_question() -> None:
    assert is_question("What is it?") and is_question("是什么呢")
    assert not is_question("It is red. What is yours?") and not is_question("It is red.")


@pytest.mark.parametrize(
    ("answer", "nothing"),
    [
        ("Hm.", True),
        ("Sorry, I don't know what you mean.", True),
        ("You haven't told me that yet!", True),
        ("嗯……", True),
        ("抱歉，这个我不太清楚，也没有相关的记录。", True),
        ("The oboe.", False),
        ("麦芽糖，外婆每周给我带一块。", False),
        ("I know it: the blue one, and I am sure.", False),
        ("", True),
    ],
)
def test_an_answer_without_information(answer: str, nothing: bool) -> None:
    assert is_empty_answer(terms_of(answer)) is nothing
