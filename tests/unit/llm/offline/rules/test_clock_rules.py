"""The time and the date."""

from __future__ import annotations

import pytest

from tests.unit.llm.offline.talking import Calls, Talk, expect, one


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        ("what time is it?", one("time.now"), "It's **15:00** on Friday, 21 November 2025."),
        ("what day is it today?", one("time.now"), "It's **Friday, 21 November 2025**, 15:00."),
        (
            "What's the time in new york",
            one("time.now", timezone="new york"),
            "In New York it's **02:00** on Friday, 21 November 2025.",
        ),
        (
            "what time is it in Japan?",
            one("time.now", timezone="Asia/Tokyo"),
            "In Japan it's **16:00**",
        ),
        ("现在几点了？", one("time.now"), "现在是 **15:00**（2025年11月21日，星期五）。"),
        ("今天星期几", one("time.now"), "今天是 **2025年11月21日，星期五**，15:00。"),
        ("东京现在几点", one("time.now", timezone="Asia/Tokyo"), "东京现在是 **16:00**"),
        (
            "what time is it in Atlantis?",
            one("time.now", timezone="Atlantis"),
            "I don't know that place.",
        ),
    ],
)
def test_texts_and_their_results(talk: Talk, words: str, calls: Calls, answer: str) -> None:
    expect(talk, words, calls, answer)
