"""A mouth that moves with written words: levels over time, from text as it streams, no voice yet.

A Chinese or Japanese character is a syllable, other words have one per group of vowels, marks are
pauses. What streams in faster than a mouth can speak is skipped from the front, so that the mouth
never runs far behind what is shown.
"""

from __future__ import annotations

import math
import re
from collections import deque
from dataclasses import dataclass

_CJK_SECONDS = 0.19
_SYLLABLE_SECONDS = 0.17
_PAUSES = {",": 0.14, "，": 0.16, "、": 0.12, ";": 0.2, "；": 0.2, ":": 0.2, "：": 0.2, "\n": 0.25}
_STOPS = ".!?。！？…"
_STOP_SECONDS = 0.3
_BEHIND = 5.0
"""Seconds of speech that may wait while text streams."""
_TAIL = 2.0
"""Seconds of speech that may be left when the text has ended."""

_PIECES = re.compile(
    r"(?P<cjk>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff])"
    r"|(?P<word>[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+)"
    r"|(?P<mark>[,，、;；:：\n.!?。！？…])"
)
_VOWELS = re.compile(r"[aeiouyàâäáãåèéêëìíîïòóôöõùúûüýаеёиоуыэюя]+", re.IGNORECASE)
_WIDE = {"a": 1.0, "o": 0.85, "e": 0.75, "u": 0.55, "i": 0.6, "y": 0.6}


_MOST = 160
"""Characters: more than can be behind, however short its beats."""


@dataclass(frozen=True, slots=True)
class Beat:
    """`opening` 0..1 is reached in the middle; 0 is a pause."""

    seconds: float
    opening: float


def beats(text: str) -> list[Beat]:
    """The syllables and pauses of `text`, in order."""
    found: list[Beat] = []
    for piece in _PIECES.finditer(text):
        if piece["cjk"]:
            found.append(Beat(_CJK_SECONDS, _opening(piece["cjk"])))
        elif piece["word"]:
            found += _word_beats(piece["word"])
        else:
            mark = piece["mark"]
            found.append(Beat(_STOP_SECONDS if mark in _STOPS else _PAUSES[mark], 0.0))
    return found


def _word_beats(word: str) -> list[Beat]:
    if word.isdigit():
        return [Beat(_SYLLABLE_SECONDS, _opening(digit)) for digit in word[:12]]
    groups = _VOWELS.findall(word[:60])
    openings = [_WIDE.get(group[0].lower(), 0.7) for group in groups]
    return [Beat(_SYLLABLE_SECONDS, opening) for opening in openings or [_opening(word[0])]]


def _opening(character: str) -> float:
    """Somewhere between half and wholly open, always the same for one character."""
    return 0.5 + (ord(character) * 7919 % 97) / 97 * 0.5


class Lips:
    """Times are seconds of one steady clock, given by the caller."""

    def __init__(self) -> None:
        self._queue: deque[Beat] = deque()
        self._waiting = 0.0
        self._started = 0.0

    def feed(self, text: str, now: float) -> None:
        """Text was just shown."""
        self._pass(now)
        if not self._queue:
            self._started = now
        for beat in beats(text[-_MOST:]):  # what came before would be skipped anyway
            self._queue.append(beat)
            self._waiting += beat.seconds
        self._skip(_BEHIND, now)

    def end(self, now: float) -> None:
        """No more text comes: finish soon."""
        self._pass(now)
        self._skip(_TAIL, now)

    def stop(self) -> None:
        """Shut the mouth now."""
        self._queue.clear()
        self._waiting = 0.0

    def level(self, now: float) -> float:
        """How far the mouth is open at `now`: 0..1."""
        self._pass(now)
        if not self._queue:
            return 0.0
        beat = self._queue[0]
        share = min(1.0, max(0.0, (now - self._started) / beat.seconds))
        return beat.opening * math.sin(math.pi * share)

    def speaking(self, now: float) -> bool:
        """Whether there is something left to say."""
        self._pass(now)
        return bool(self._queue)

    def _pass(self, now: float) -> None:
        while self._queue and now - self._started >= self._queue[0].seconds:
            self._drop()

    def _skip(self, behind: float, now: float) -> None:
        while len(self._queue) > 1 and self._waiting > behind:
            self._drop()
            self._started = now

    def _drop(self) -> None:
        beat = self._queue.popleft()
        self._started += beat.seconds
        self._waiting = self._waiting - beat.seconds if self._queue else 0.0
