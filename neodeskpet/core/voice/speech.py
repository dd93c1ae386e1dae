"""Finds the words of a text that are spoken, and how far the mouth is open during a sound."""

from __future__ import annotations

import re
from array import array
from collections.abc import AsyncGenerator
from typing import Protocol

from neodeskpet.core.text_language import CHINESE, language_of

SPEECH_RATE = 24_000
"""The sample rate of synthesizers, in samples per second."""
LIP_MS = 20
"""Milliseconds of one mouth position."""
_LOUD = 6_000.0
"""The root mean square of samples at which the mouth is fully open."""

_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0e\ufe0f\u200d\u20e3\U000e0020-\U000e007f]"
)
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>）】」]+|\S+@\S+\.\w+")
_ACTION = re.compile(r"^\s*\*[^*\n]{1,80}\*(?!\*)|(?<!\*)\*[^*\n]{1,80}\*\s*$")
"""What a character does, in a line of its own or before or after what it says."""
_MARKS = re.compile(r"[*_`#>|~]+")


class Synthesizer(Protocol):
    """Converts text to speech."""

    @property
    def rate(self) -> int:
        """The sample rate of the sound from `synthesize`."""
        ...

    def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        """Yield speech as mono 16-bit PCM, in pieces as they arrive. `language` is an ISO 639-1
        code. Raises KnownError.
        """
        ...


def speakable(text: str) -> str:
    """Return the words of a line of plain text that are spoken: without emoji, addresses,
    `*actions*` and marks. "" if nothing is left to say.
    """
    text = _ADDRESS.sub("", _ACTION.sub("", _EMOJI.sub("", text)))
    text = " ".join(_MARKS.sub(" ", text).split())
    return text if any(character.isalnum() for character in text) else ""


def spoken_language(text: str) -> str:
    """Return "zh" or "en", guessed from the letters."""
    return "zh" if language_of(text) == CHINESE else "en"


def mouth_levels(pcm: bytes, rate: int) -> list[float]:
    """Return how far the mouth is open (0 to 1) in each LIP_MS of the sound, by its loudness."""
    samples = array("h")
    samples.frombytes(pcm[: len(pcm) // 2 * 2])
    step = rate * LIP_MS // 1000
    levels = []
    for at in range(0, len(samples), step):
        part = samples[at : at + step]
        loudness = (sum(sample * sample for sample in part) / len(part)) ** 0.5
        levels.append(min(1.0, loudness / _LOUD))
    return levels
