"""What it is, and what it does not understand."""

from __future__ import annotations

import pytest

from tests.unit.llm.offline.talking import Calls, Talk, expect, face


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        ("who are you?", face("smile"), "no language model"),
        ("你会什么？", face("smile"), "不是语言模型"),
        ("how do I connect a model?", [], "open **Settings › Service**"),
        ("怎么接入大模型", [], "打开**设置 › 服务**"),
        ("write me a poem about time", face("thinking"), "a few rules without a language model"),
        ("给我写一首诗", face("thinking"), "没有语言模型"),
    ],
)
def test_words_and_what_comes_of_them(talk: Talk, words: str, calls: Calls, answer: str) -> None:
    expect(talk, words, calls, answer)


def test_a_second_fallback_is_short(talk: Talk) -> None:
    talk.say("gibberish of some kind")
    text = talk.say("and more of it").text
    assert "Say “help” for examples" in text
    assert len(text) < 300
