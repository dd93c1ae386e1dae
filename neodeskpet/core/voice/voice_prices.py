"""What requests to OpenAI's speech and transcription services cost. Other services do not have
prices that are known.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from neodeskpet.core.voice.ports import LISTEN_RATE

CURRENCY = "USD"
_HOST = "api.openai.com"
_SPEECH_PER_CHARACTER = {"tts-1": 15e-6, "tts-1-hd": 30e-6}
_SPEECH_PER_MINUTE = {"gpt-4o-mini-tts": 0.015}
_HEARING_PER_MINUTE = {
    "whisper-1": 0.006,
    "gpt-4o-transcribe": 0.006,
    "gpt-4o-mini-transcribe": 0.003,
}


def speech_cost(address: str, model: str, characters: int, seconds: float) -> float | None:
    """Return the price of `characters` that became `seconds` of sound, None if it is unknown."""
    if urlsplit(address).hostname != _HOST:
        return None
    if (price := _SPEECH_PER_CHARACTER.get(model)) is not None:
        return characters * price
    return _by_minute(_SPEECH_PER_MINUTE, model, seconds)


def hearing_cost(address: str, model: str, pcm_bytes: int) -> float | None:
    """Return the price of recognizing sound at LISTEN_RATE, None if it is unknown."""
    if urlsplit(address).hostname != _HOST:
        return None
    return _by_minute(_HEARING_PER_MINUTE, model, pcm_bytes / (2 * LISTEN_RATE))


def _by_minute(prices: dict[str, float], model: str, seconds: float) -> float | None:
    price = prices.get(model)
    return None if price is None else price * seconds / 60
