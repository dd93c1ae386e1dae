"""A voice whose pitch its synthesizer can't change is played at another rate."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from neodeskpet.core.voice.speech import SPEECH_RATE
from neodeskpet.voice.chirp import ChirpSynthesizer
from neodeskpet.voice.pitched import PitchedSynthesizer


def test_the_same_sound_has_a_higher_rate() -> None:
    inner = ChirpSynthesizer()

    async def sound(synthesizer: ChirpSynthesizer | PitchedSynthesizer) -> bytes:
        return b"".join([one async for one in synthesizer.synthesize("Hello", "en")])

    made = PitchedSynthesizer(inner, 1.2)
    assert made.rate == 1.2 * SPEECH_RATE
    assert asyncio.run(sound(made)) == asyncio.run(sound(inner))


def test_tones_are_higher_without_another_rate() -> None:
    async def crossings(pitch: float) -> int:
        pieces = [one async for one in ChirpSynthesizer(pitch).synthesize("a")]
        samples = memoryview(b"".join(pieces)).cast("h")
        return sum((one < 0) != (two < 0) for one, two in pairwise(samples))

    assert asyncio.run(crossings(1.3)) > 1.2 * asyncio.run(crossings(1.0))
