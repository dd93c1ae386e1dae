"""A voice without a model: one short tone for each syllable, higher at the end of a question."""

from __future__ import annotations

import math
import unicodedata
from array import array
from collections.abc import AsyncGenerator

from neodeskpet.core.voice.speech import SPEECH_RATE

_SYLLABLE_SECONDS = 0.09
_GAP_SECONDS = 0.03
_PAUSE_SECONDS = 0.18
_PITCH = 620.0
"""Hertz of the middle of the voice."""
_LOUDNESS = 7_000
_PAUSES = ".,;:!?。，；：！？…"
_VOWELS = "aeiouyαεηιουωаеиоуыэюя"
"""Without accents."""
_WIDE = 0x2E80
"""The lowest code point of the scripts in which each character is a syllable, such as Chinese."""


class ChirpSynthesizer:
    """A `core.voice.speech.Synthesizer`."""

    rate = SPEECH_RATE

    def __init__(self, pitch: float = 1.0) -> None:
        """`pitch` multiplies the frequency of the tones."""
        self._pitch = pitch

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        tones = _tones(text)
        for at, pitch in enumerate(tones):
            left = len(tones) - at
            rise = 1.25 if text.rstrip().endswith(("?", "？")) and left <= 2 else 1.0
            yield (
                _chirp(pitch * rise * self._pitch)
                if pitch
                else bytes(2 * int(_PAUSE_SECONDS * SPEECH_RATE))
            )


def _tones(text: str) -> list[float]:
    """Return the pitch of each syllable in hertz; 0 for a pause."""
    tones: list[float] = []
    before = " "
    silent = ""
    """The first letter of the current word while the word has no tone yet; "" otherwise."""
    for letter in map(_without_accent, text.casefold() + " "):
        if silent and not letter.isalpha():
            tones.append(_pitch(silent))
            silent = ""
        if letter in _PAUSES:
            tones.append(0.0)
        elif _is_syllable(letter, before):
            tones.append(_pitch(letter))
            silent = ""
        elif letter.isalpha() and not before.isalpha():
            silent = letter
        before = letter if letter.isalpha() else " "
    return tones


def _without_accent(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[0]
    return letter if ord(letter) >= _WIDE else base


def _is_syllable(letter: str, before: str) -> bool:
    wide = ord(letter) >= _WIDE and letter.isalnum()
    return wide or letter.isdigit() or (letter in _VOWELS and before not in _VOWELS)


def _pitch(letter: str) -> float:
    """Return the pitch of a letter; it is always the same for one letter."""
    return _PITCH * 2 ** ((ord(letter) % 7 - 3) / 12)


def _chirp(pitch: float) -> bytes:
    length = int(_SYLLABLE_SECONDS * SPEECH_RATE)
    samples = array("h")
    for at in range(length):
        swell = math.sin(math.pi * at / length) ** 0.6
        bend = 1.0 + 0.06 * at / length
        angle = 2 * math.pi * pitch * bend * at / SPEECH_RATE
        wave = 0.75 * math.sin(angle) + 0.25 * math.sin(2 * angle)
        samples.append(int(_LOUDNESS * swell * wave))
    return samples.tobytes() + bytes(2 * int(_GAP_SECONDS * SPEECH_RATE))
