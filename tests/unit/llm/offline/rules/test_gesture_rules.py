"""Expressions and motions on request."""

from __future__ import annotations

import pytest

from tests.unit.llm.offline.talking import Calls, Talk, expect, face, motion


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        ("smile", face("smile"), "That's my “smile”."),
        ("Can you smile for me, please?", face("smile"), "“smile”"),
        ("please make a happy face", face("smile"), "“smile”"),
        ("make a wink face", face("wink"), "“wink”"),
        ("show me the sleepy expression", face("sleepy"), "“sleepy”"),
        ("go back to normal", face("neutral"), "“neutral”"),
        ("笑一个", face("smile"), "看，笑得好看吗？"),
        ("你能不能大笑一下？", face("joy"), "看，这个表情怎么样？"),
        ("换个生气的表情", face("angry"), "看，这个表情怎么样？"),
        ("害羞一下", face("shy"), "看，这个表情怎么样？"),
        ("表情 thinking", face("thinking"), "看，这个表情怎么样？"),
        ("wave", motion("Wave"), "That was “Wave”."),
        ("wave hello", motion("Wave"), "“Wave”"),
        ("挥挥手", motion("Wave"), "好啦，做完了！"),
        ("点点头吧", motion("Nod"), "好啦，做完了！"),
        ("play TapBody", motion("TapBody"), "“TapBody”"),
        ("dance", motion("TapBody"), "This body can't dance, but watch: "),
        ("跳个舞", motion("TapBody"), "这个动作我不会，不过看这个："),
        ("shake your head", motion("TapBody"), "can't shake its head"),
        ("do something", motion("TapBody"), "That was “TapBody”."),
        ("what expressions do you have?", [], "`neutral`, `smile`"),
        ("你有哪些动作", [], "`Idle`, `TapBody`, `Wave`, `Nod`"),
        ("make another face", [], "This body has: `neutral`"),
    ],
)
def test_texts_and_their_results(talk: Talk, words: str, calls: Calls, answer: str) -> None:
    expect(talk, words, calls, answer)
