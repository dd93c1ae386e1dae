"""Channels of Harmony: which text is thinking, and which is the answer."""

from __future__ import annotations

from tests.unit.core.dialects.leaked.leaking import Heard, read
from tests.unit.core.dialects.splitting import cut_everywhere


def test_channels_become_thinking_and_text() -> None:
    reply = (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>analysis<|message|>"
        "More.<|start|>assistant<|channel|>final<|message|>Hello <b>you</b>.<|return|>"
    )
    for pieces in cut_everywhere(reply):
        assert read(pieces) == Heard("Hello <b>you</b>.", "Hm.More."), pieces


def test_channels_without_their_marks() -> None:
    paris = ("get_weather", {"city": "Paris"})
    thought = "analysisWe need the weather.\nassistantanalysisNow.assistant"
    call = 'commentary to=functions.get_weather json{"city": "Paris"}'
    for pieces in cut_everywhere(f"{thought}{call}"):
        assert read(pieces) == Heard("", "We need the weather.\nNow.", [paris]), pieces
    for pieces in cut_everywhere(f"{thought}finalHello!\nHi."):
        assert read(pieces) == Heard("Hello!\nHi.", "We need the weather.\nNow."), pieces
    for pieces in cut_everywhere(f"commentaryLet me seeassistant{call}assistantfinalDone."):
        assert read(pieces) == Heard("Let me seeDone.", "", [paris]), pieces
    for pieces in cut_everywhere(f"Let me see. {call}"):
        assert read(pieces) == Heard("Let me see. ", "", [paris]), pieces
