"""Greetings, thanks, feelings, jokes."""

from __future__ import annotations

import pytest

from tests.unit.llm.offline.talking import Calls, Talk, expect, face, motion


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        ("thanks!", face("smile"), "You're welcome!"),
        ("谢谢你", face("smile"), "不客气！"),
        ("I'm so tired", face("sad"), "I'm sorry to hear that."),
        ("我好难过", face("sad"), "我也有点难过"),
        ("你好可爱", face("shy"), "谢谢夸奖！"),
        ("good job", face("shy"), "Thank you, that's kind."),
        ("tell me a joke", face("joy"), "OCT 31 equals DEC 25"),
        ("讲个笑话", face("joy"), "OCT 31 等于 DEC 25"),
        ("ok", motion("Nod"), "Good."),
        ("how are you?", face("smile"), "I'm fine, "),
        ("bye", motion("Wave"), "See you!"),
        ("再见", motion("Wave"), "再见！"),
    ],
)
def test_texts_and_their_results(talk: Talk, words: str, calls: Calls, answer: str) -> None:
    expect(talk, words, calls, answer)


def test_a_greeting_includes_a_gesture(talk: Talk) -> None:
    reply = talk.say("Hi!")
    kinds = ["text", "live2d.expression", "text", "live2d.motion", "text"]
    assert reply.shape == kinds
    assert talk.body.acts == ["smile", "Wave"]
    assert "**offline helper**" in reply.text
    assert reply.message.rounds == 1
    assert "又见面啦" in talk.say("你好").text


def test_every_joke_is_told_in_turn(talk: Talk) -> None:
    assert len({talk.say("tell me a joke").text for _ in range(3)}) == 3
