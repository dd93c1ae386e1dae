"""Lip movements for written text: opening over time, from text as it streams, without sound.

A Chinese or Japanese character is a syllable, other words have one per group of vowels, punctuation
marks are pauses. Each syllable has a vowel if the script shows one (Latin, Cyrillic, kana, hangul);
a Han character doesn't and gets a fixed one. Text that streams in faster than speech is skipped
from the start, so that the mouth never falls far behind the shown text.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

_CJK_SECONDS = 0.19
_SYLLABLE_SECONDS = 0.17
_PAUSES = {",": 0.14, "，": 0.16, "、": 0.12, ";": 0.2, "；": 0.2, ":": 0.2, "：": 0.2, "\n": 0.25}
_STOPS = ".!?。！？…"
_STOP_SECONDS = 0.3
_BEHIND = 5.0
"""Seconds of speech that may wait while text streams."""
_TAIL = 2.0
"""Seconds of speech that may be left when the text has ended."""

_PIECES = (
    r"(?P<cjk>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff])"
    r"|(?P<word>[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+)"
    r"|(?P<mark>[,，、;；:：\n.!?。！？…])"
)
"""A pattern that is compiled with the first text: that takes 3 ms, and the figure is
shown before.
"""
_GROUPS = re.compile(r"[aeiouyàâäáãåèéêëìíîïòóôöõùúûüýаеёиоуыэюя]+", re.IGNORECASE)
VOWELS = "AIUEO"
_WIDE = {"A": 1.0, "O": 0.85, "E": 0.75, "U": 0.55, "I": 0.6}
"""The opening of the mouth for each vowel."""
_LETTERS = dict(zip("yаеёиоуыэюя", "IAEOIOUIEUA", strict=True))
_PAIRS = {"ee": "I", "ea": "I", "oo": "U", "ou": "U", "ai": "E", "ay": "E", "au": "O"}
_JUNGSEONG = "AEAEOEOEOAEEOUOEIUUII"
"""The vowels of hangul syllables, in Unicode's order."""
_HAN = "AIAEUAOEI"
"""Vowels with roughly the frequencies of Mandarin."""


_MOST = 160
"""Characters: more than can be waiting, even with the shortest syllables."""


@dataclass(frozen=True, slots=True)
class Syllable:
    """A syllable. `opening` 0..1 is reached in the middle; 0 is a pause. `vowel` is one of VOWELS,
    or "".
    """

    seconds: float
    opening: float
    vowel: str = ""


def syllables(text: str) -> list[Syllable]:
    """Return the syllables and pauses of `text`, in order."""
    found: list[Syllable] = []
    for piece in re.finditer(_PIECES, text):
        if piece["cjk"]:
            character = piece["cjk"]
            found.append(Syllable(_CJK_SECONDS, _opening(character), _sound(character)))
        elif piece["word"]:
            found += _word_syllables(piece["word"])
        else:
            mark = piece["mark"]
            found.append(Syllable(_STOP_SECONDS if mark in _STOPS else _PAUSES[mark], 0.0))
    return found


@lru_cache(2048)
def _word_syllables(word: str) -> Sequence[Syllable]:
    if word.isdigit():
        return [Syllable(_SYLLABLE_SECONDS, _opening(digit), _any(digit)) for digit in word[:12]]
    groups = _GROUPS.findall(word[:60])
    if len(groups) > 1 and groups[-1] == "e" and word.endswith("e"):
        groups.pop()  # "like" has one syllable
    vowels = [_vowel(group.lower()) for group in groups]
    if not vowels:
        return [Syllable(_SYLLABLE_SECONDS, _opening(word[0]))]
    return [Syllable(_SYLLABLE_SECONDS, _WIDE.get(vowel, 0.7), vowel) for vowel in vowels]


def _vowel(group: str) -> str:
    """Return the vowel of a group of vowel letters, in lower case."""
    if len(group) > 1 and group[0] == "y":
        group = group[1:]
    if group[:2] in _PAIRS:
        return _PAIRS[group[:2]]
    letter = _LETTERS.get(group[0]) or unicodedata.normalize("NFD", group[0])[0].upper()
    return letter if letter in VOWELS else ""


def _sound(character: str) -> str:
    """Return the vowel of a character that is a syllable."""
    if "\uac00" <= character <= "\ud7a3":
        return _JUNGSEONG[(ord(character) - 0xAC00) // 28 % 21]
    if "\u3040" <= character <= "\u30ff":
        last = unicodedata.name(character, " ")[-1]  # HIRAGANA LETTER KI
        return last if last in VOWELS else ""
    return _any(character)


def _any(character: str) -> str:
    """Return a vowel that is fixed for the character."""
    return _HAN[ord(character) * 7919 % len(_HAN)]


def _opening(character: str) -> float:
    """Return an opening between half and full that is fixed for the character."""
    return 0.5 + (ord(character) * 7919 % 97) / 97 * 0.5


def mouth_shape(
    level: float, vowel: str, mouth: Iterable[str], vowels: Mapping[str, str]
) -> dict[str, float]:
    """Return the values of the mouth's parameters: the vowel's own if the model has it, else those
    that open the mouth. `vowels` are the model's parameters by vowel.
    """
    spoken = vowels.get(vowel) if level > 0.0 else None
    shape = dict.fromkeys(mouth, 0.0 if spoken else level)
    if vowel or level <= 0.0:
        shape |= {name: 0.0 for name in vowels.values() if name not in shape}
    if spoken:
        shape[spoken] = min(1.0, level / _WIDE[vowel])
    return shape


class LipSync:
    """Moves the lips. Times are seconds of one monotonic clock, passed by the caller."""

    def __init__(self) -> None:
        self._queue: deque[Syllable] = deque()
        self._waiting = 0.0
        self._started = 0.0

    def feed(self, text: str, now: float) -> None:
        """Add text that was just shown."""
        self._pass(now)
        if not self._queue:
            self._started = now
        for beat in syllables(text[-_MOST:]):  # earlier text would be skipped anyway
            self._queue.append(beat)
            self._waiting += beat.seconds
        self._skip(_BEHIND, now)

    def end(self, now: float) -> None:
        """Finish soon: no more text follows."""
        self._pass(now)
        self._skip(_TAIL, now)

    def stop(self) -> None:
        """Close the mouth now."""
        self._queue.clear()
        self._waiting = 0.0

    def level(self, now: float) -> float:
        """Return how far the mouth is open at `now`: 0..1."""
        self._pass(now)
        if not self._queue:
            return 0.0
        beat = self._queue[0]
        share = min(1.0, max(0.0, (now - self._started) / beat.seconds))
        return beat.opening * math.sin(math.pi * share)

    def vowel(self, now: float) -> str:
        """Return the vowel that is spoken at `now`, "" if unknown or silent."""
        self._pass(now)
        return self._queue[0].vowel if self._queue else ""

    def speaking(self, now: float) -> bool:
        """Return whether there is text left to speak."""
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
