"""Stems English words ("umbrellas" → "umbrella") with Snowball's Porter 2.

The library is Snowball's C code: the same algorithm in Python took sixty times as long.
"""

from __future__ import annotations

import threading

from Stemmer import Stemmer


class _OfThread(threading.local):
    """A stemmer for each thread: threads can't share one. Callers cache its results."""

    def __init__(self) -> None:
        self.stemmer = Stemmer("english", 0)


_here = _OfThread()


def stem(word: str) -> str:
    """Return the stem of a lower-case word; a word in another script is returned as it is."""
    stemmed: str = _here.stemmer.stemWord(word)
    return stemmed
