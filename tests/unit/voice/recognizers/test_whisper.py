"""Whisper's child process gets the sound and the language; its text is returned as one final
transcript.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from neodeskpet.core.voice.ports import LISTEN_RATE, Transcript, VoiceError
from neodeskpet.voice.local_voice import WHISPER
from neodeskpet.voice.recognizers.whisper import WhisperRecognizer
from neodeskpet.voice.recognizers.whisper_child import COUNTING_ENGINE
from tests.unit.voice.test_local_voice import fill


def test_sound_and_language_arrive(tmp_path: Path) -> None:
    fill(tmp_path, WHISPER)

    async def go() -> list[Transcript]:
        recognizer = WhisperRecognizer(COUNTING_ENGINE, extra=tmp_path)
        heard = []
        for seconds, language in ((1, "zh"), (2, ""), (400, "en")):
            pcm = bytes(LISTEN_RATE * 2 * seconds)
            heard += [one async for one in recognizer.recognize(pcm, language)]
        assert recognizer.running
        await recognizer.aclose()
        assert not recognizer.running
        return heard

    texts = ["zh 1000", "? 2000", "en 300000"]  # five minutes at most
    assert asyncio.run(go()) == [Transcript(text, is_final=True) for text in texts]


def test_it_is_loaded_before_there_is_a_question(tmp_path: Path) -> None:
    fill(tmp_path, WHISPER)

    async def go() -> None:
        recognizer = WhisperRecognizer(COUNTING_ENGINE, extra=tmp_path)
        await recognizer.warm_up()
        assert recognizer.running
        await recognizer.aclose()

    asyncio.run(go())


def test_a_missing_model_is_reported_with_the_question(tmp_path: Path) -> None:
    async def go() -> None:
        recognizer = WhisperRecognizer(COUNTING_ENGINE, extra=tmp_path)
        await recognizer.warm_up()
        with pytest.raises(VoiceError):
            await anext(recognizer.recognize(bytes(3200)))
        await recognizer.aclose()

    asyncio.run(go())
