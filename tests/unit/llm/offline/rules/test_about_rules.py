"""Questions about itself, and what it does not understand."""

from __future__ import annotations

import pytest

from tests.unit.llm.offline.talking import Calls, Talk, expect, face


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        ("who are you?", face("smile"), "no language model"),
        ("你会什么？", face("smile"), "不是语言模型"),
        ("how do I connect a model?", [], "open **Settings › Models › Services**"),
        ("怎么接入大模型", [], "打开**设置 › 模型 › 服务**"),
        ("xyzzy plugh", [], "a few rules without a language model"),
        ("呜啦啦", [], "没有语言模型"),
        ("write me a poem about time", [], "I can't do that offline: connect a language model"),
        ("给我写一首诗", [], "请在**设置 › 模型 › 服务**里连接一个语言模型"),
    ],
)
def test_texts_and_their_results(talk: Talk, words: str, calls: Calls, answer: str) -> None:
    expect(talk, words, calls, answer)


def test_a_second_fallback_is_short(talk: Talk) -> None:
    talk.say("gibberish of some kind")
    text = talk.say("and more of it").text
    assert text == "I don't understand that. Say “help” to see what I can do."


def test_the_first_fallback_is_long_at_any_place(talk: Talk) -> None:
    talk.say("hello")
    assert "What I do understand:" in talk.say("gibberish of some kind").text
    talk.say("hello")
    assert "What I do understand:" not in talk.say("一些胡言乱语").text
