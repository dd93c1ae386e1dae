"""How long words stand: as long as a voice speaks them, else as long as one takes to read them."""

from __future__ import annotations

from typing import Protocol

_CJK = 0x2E80
_CJK_SECONDS, _OTHER_SECONDS = 0.13, 0.05
"""For a character: some 460 Chinese characters a minute, or 230 English words."""
_BEFORE = 0.6
"""Until the eyes are there."""
_SHORTEST, LONGEST_READING_SECONDS = 1.8, 12.0


def extra_seconds(text: str) -> float:
    """How long a person takes for `text` who is reading already."""
    wide = sum(ord(character) >= _CJK for character in text)
    return min(LONGEST_READING_SECONDS, wide * _CJK_SECONDS + (len(text) - wide) * _OTHER_SECONDS)


def reading_seconds(text: str) -> float:
    """How long a person takes for `text`."""
    return min(LONGEST_READING_SECONDS, max(_SHORTEST, _BEFORE + extra_seconds(text)))


class Voice(Protocol):
    """Speaks what the bubble shows. What it has spoken is told to `BubbleQueue.heard`."""

    def speak(self, words: str) -> bool:
        """Speak these after what is being spoken; False if it doesn't (it is off, or broken)."""
        ...

    def stop(self) -> None:
        """Be silent at once; `heard` isn't called for what was cut off."""
        ...


class NoVoice:
    """The voice of those that have none."""

    def speak(self, words: str) -> bool:
        return False

    def stop(self) -> None:
        """It never began."""
