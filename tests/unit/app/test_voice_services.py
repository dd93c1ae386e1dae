"""Requests to voice services are counted, with their price if it is known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from neodeskpet.app.voice_services import CountedRecognizer, CountedSynthesizer
from neodeskpet.core.costs import RequestCost
from neodeskpet.core.voice.ports import LISTEN_RATE, Transcript, VoiceError

OPENAI, LOCAL = "https://api.openai.com/v1", "http://127.0.0.1:8000/v1"


class MinuteSynthesizer:
    """Each text becomes a minute of sound; `fails`: after half of it."""

    rate = 24_000

    def __init__(self, *, fails: bool = False) -> None:
        self._fails = fails

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        yield bytes(self.rate * 60)
        if self._fails:
            raise VoiceError("cut")
        yield bytes(self.rate * 60)


class WordRecognizer:
    async def recognize(self, pcm: bytes, language: str = "") -> AsyncGenerator[Transcript, None]:
        yield Transcript("word", is_final=True)


def speak(address: str, model: str, *, fails: bool = False) -> RequestCost:
    spent: list[RequestCost] = []
    made = CountedSynthesizer(MinuteSynthesizer(fails=fails), spent.append, address, model)

    async def run() -> None:
        async for _ in made.synthesize("x" * 1000):
            pass

    if fails:
        with pytest.raises(VoiceError):
            asyncio.run(run())
    else:
        asyncio.run(run())
    (one,) = spent
    assert (one.model, one.purpose) == (model, "speech")
    return one


def test_speech_of_a_known_service_has_a_price() -> None:
    spent = speak(OPENAI, "gpt-4o-mini-tts")
    assert (spent.cost, spent.currency) == (pytest.approx(0.015), "USD")
    assert speak(OPENAI, "tts-1").cost == pytest.approx(0.015)
    assert speak(OPENAI, "gpt-4o-mini-tts", fails=True).cost == pytest.approx(0.0075)


def test_speech_of_another_service_is_counted_without_a_price() -> None:
    spent = speak(LOCAL, "tts-1")
    assert (spent.cost, spent.currency) == (None, "")


def test_recognition_is_priced_by_its_length() -> None:
    spent: list[RequestCost] = []
    made = CountedRecognizer(WordRecognizer(), spent.append, OPENAI, "whisper-1")

    async def run() -> list[str]:
        return [one.text async for one in made.recognize(bytes(2 * LISTEN_RATE * 60))]

    assert asyncio.run(run()) == ["word"]
    assert [(one.purpose, one.cost) for one in spent] == [("hearing", pytest.approx(0.006))]
