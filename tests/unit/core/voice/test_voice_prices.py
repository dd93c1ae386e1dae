"""Prices of voice requests."""

import pytest

from neodeskpet.core.voice.ports import LISTEN_RATE
from neodeskpet.core.voice.voice_prices import hearing_cost, speech_cost

OPENAI, OTHER = "https://api.openai.com/v1", "https://example.com/v1"


def test_speech_costs_by_characters_or_minutes() -> None:
    assert speech_cost(OPENAI, "tts-1", 1_000_000, 0.0) == pytest.approx(15)
    assert speech_cost(OPENAI, "gpt-4o-mini-tts", 100, 120.0) == pytest.approx(0.03)
    assert speech_cost(OPENAI, "another", 100, 120.0) is None
    assert speech_cost(OTHER, "tts-1", 100, 120.0) is None


def test_hearing_costs_by_minutes() -> None:
    minute = 2 * LISTEN_RATE * 60
    assert hearing_cost(OPENAI, "whisper-1", minute) == pytest.approx(0.006)
    assert hearing_cost(OPENAI, "another", minute) is None
    assert hearing_cost(OTHER, "whisper-1", minute) is None
