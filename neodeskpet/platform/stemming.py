"""English words without their endings ("umbrellas" → "umbrella"): Snowball's Porter 2.

The library is Snowball's own C: the same algorithm in Python took sixty times as long.
"""

from __future__ import annotations

import threading

from Stemmer import Stemmer


class _OfThread(threading.local):
    """A stemmer may be used by one thread at a time. We keep what it found ourselves."""

    def __init__(self) -> None:
        self.stemmer = Stemmer("english", 0)


_here = _OfThread()


def stem(word: str) -> str:
    """The stem of a word in small letters; of other scripts the word itself."""
    stemmed: str = _here.stemmer.stemWord(word)
    return stemmed
