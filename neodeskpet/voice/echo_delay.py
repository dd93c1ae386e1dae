"""Finds how late the companion's own voice comes into the microphone, and when that delay changes.

A sound server that runs out of samples plays silence and then continues later; a microphone that is
read too late loses samples. Neither device reports it in time. The echo canceller then compares the
microphone with the wrong sound, and what it leaves sounds like a person. The delay is measured with
the sound itself: before echo cancellation, the microphone resembles what was played.
"""

from __future__ import annotations

import math
from typing import Any

from neodeskpet.core.voice.ports import FRAME_BYTES, LISTEN_RATE

_FRAME = FRAME_BYTES // 2
_COMPARED = 2048
"""Samples of the microphone that are compared: 128 ms."""
_LONGEST = LISTEN_RATE * 400 // 1000
"""The longest delay that is found, in samples."""
_TRANSFORM = 16384
_CHECK_FRAMES = 3
"""Frames between two measurements."""
_AUDIBLE = 60.0
"""Root mean square of samples below which nothing is measured."""
_CERTAIN = 0.35
"""Correlation from which the place of the echo is certain. Unrelated voices have up to 0.25."""
_NEAR = 16
"""Samples by which two measurements of the same delay may differ: 1 ms."""
_OLD_SHARE = 0.6
"""The delay has changed only if the old one fits this much worse: speech resembles itself one
period of the voice later.
"""
_SETTLE_FRAMES = _COMPARED // _FRAME + 3
"""Frames after a change until the compared sound has only the new delay."""


class EchoDelay:
    """Gets each frame of the microphone before echo cancellation, and what was played for it."""

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy
        self._heard = numpy.zeros(_COMPARED)
        self._played = numpy.zeros(_COMPARED + _LONGEST)
        self._frames = 0
        self._candidate: int | None = None
        """A delay that was measured once."""
        self.samples: int | None = None
        """The delay, None until it was measured."""

    @property
    def is_uncertain(self) -> bool:
        """Whether the last measurement found another delay."""
        return self.samples is not None and self._candidate is not None

    def add(self, heard: Any, played: Any) -> int:
        """Add a frame of FRAME_BYTES. Return by how many samples the echo comes later now than
        before; 0 means that nothing has changed.
        """
        numpy = self._numpy
        self._heard = numpy.concatenate([self._heard[_FRAME:], heard])
        self._played = numpy.concatenate([self._played[_FRAME:], played])
        self._frames += 1
        if self._frames < _CHECK_FRAMES:
            return 0
        self._frames = 0
        return self._measure()

    def _measure(self) -> int:
        fits = self._correlations()
        if fits is None:
            return 0
        found = int(fits.argmax())
        if fits[found] < _CERTAIN:
            return 0
        known = self.samples
        if known is not None:
            old = float(fits[max(0, known - _NEAR) : known + _NEAR + 1].max())
            if abs(found - known) <= _NEAR or old >= _OLD_SHARE * fits[found]:
                self._candidate = None
                return 0
        candidate, self._candidate = self._candidate, found
        if candidate is None or abs(candidate - found) > _NEAR:
            return 0
        self._candidate = None
        if known is None:
            self.samples = found
            return 0
        self.samples = None
        self._frames = -_SETTLE_FRAMES
        return found - known

    def _correlations(self) -> Any:
        """Return how well each delay fits, from 0 to 1; None if too little is played or heard."""
        numpy = self._numpy
        if min(_loudness(self._heard), _loudness(self._played[-_COMPARED:])) < _AUDIBLE:
            return None
        heard = numpy.diff(self._heard, prepend=self._heard[0])
        played = numpy.diff(self._played, prepend=self._played[0])
        spectrum = numpy.fft.rfft(played, _TRANSFORM) * numpy.fft.rfft(heard, _TRANSFORM).conj()
        products = abs(numpy.fft.irfft(spectrum, _TRANSFORM)[: _LONGEST + 1])
        energy = numpy.concatenate([[0.0], numpy.cumsum(played * played)])
        energies = energy[_COMPARED : _COMPARED + _LONGEST + 1] - energy[: _LONGEST + 1]
        scale = numpy.sqrt(numpy.dot(heard, heard) * numpy.maximum(energies, 1e5)) + 1.0
        return (products / scale)[::-1]


def _loudness(samples: Any) -> float:
    return math.sqrt(float(samples @ samples) / len(samples))
