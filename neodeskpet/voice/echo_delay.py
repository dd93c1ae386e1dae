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
_EARLIEST = LISTEN_RATE * 20 // 1000
"""By how many samples the echo may come before its reference. Then the canceller can't work, and
the reference must be moved.
"""
_LEAST, _WANTED = LISTEN_RATE * 8 // 1000, LISTEN_RATE * 20 // 1000
"""A delay below the least one is changed to the wanted one."""
_TRANSFORM = 9216
"""Samples of a Fourier transform: no fewer than any sound that is compared, and a product of small
primes.
"""
_LEAST_ENERGY = 1e5
"""A piece of sound with less energy counts as silence, which resembles nothing."""
_CHECK_FRAMES = 3
"""Frames between two measurements."""
_AUDIBLE = 60.0
"""Root mean square of samples below which nothing is measured."""
_CERTAIN = 0.35
"""Correlation from which the place of the echo is certain. Unrelated voices have up to 0.25."""
_EXPLAINED = 0.85
"""Correlation from which the microphone hears nothing but the echo."""
_NEAR = 16
"""Samples by which two measurements of the same delay may differ: 1 ms."""
_LEFT = 0.25
"""If the sound after the linear filter correlates this much with what was played, the filter does
not remove this echo. The microphone alone doesn't tell: while a person speaks, it can resemble what
was played at a wrong delay.
"""
_OLD_SHARE = 0.6
"""The delay has changed only if the old one fits this much worse: speech resembles itself one
period of the voice later.
"""
_DOUBTFUL_FRAMES = 500
"""Frames after a change in which echo cancellation may leave much of the echo: 5 s."""
_SETTLE_FRAMES = _COMPARED // _FRAME + 3
"""Frames after a change until the compared sound has only the new delay."""


class EchoDelay:
    """Gets each frame of the microphone before echo cancellation, and what was played for it."""

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy
        self._heard = numpy.zeros(_COMPARED + _EARLIEST + 1, numpy.float32)
        self._left = numpy.zeros(_COMPARED + _EARLIEST + 1, numpy.float32)
        self._played = numpy.zeros(_COMPARED + _LONGEST + _EARLIEST + 1, numpy.float32)
        self._frames = 0
        self._since_change = _DOUBTFUL_FRAMES
        self._was_early = False
        """Whether the reference was to be moved because the echo came too early. If that has no
        effect, the delay is taken as it is.
        """
        self._candidate: int | None = None
        """A delay that was measured once."""
        self._removed = -_LONGEST
        """The last other delay whose echo the filter removes."""
        self.samples: int | None = None
        """The delay, None until it was measured."""
        self.is_explained = False
        """Whether the delay has changed lately, and the echo alone explains what the microphone
        heard last. Then what echo cancellation leaves is no person.
        """

    @property
    def is_uncertain(self) -> bool:
        """Whether the last measurement found another delay."""
        return self.samples is not None and self._candidate is not None

    def add(self, heard: Any, left: Any, played: Any) -> int:
        """Add a frame of FRAME_BYTES; `left` is what the linear filter left of `heard`. Return by
        how many samples the reference must be moved: the echo comes so much later now than before,
        or it comes too early for the canceller. 0 means that nothing has changed.
        """
        append_frame(self._heard, heard)
        append_frame(self._left, left)
        append_frame(self._played, played)
        self._frames += 1
        self._since_change += 1
        if self._frames < _CHECK_FRAMES:
            return 0
        self._frames = 0
        return self._measure()

    def disturb(self) -> None:
        """A device had a gap: the delay may have changed."""
        self._since_change = 0

    def _measure(self) -> int:
        fits = self._correlations()
        is_doubtful = self._since_change < _DOUBTFUL_FRAMES
        self.is_explained = is_doubtful and fits is not None and float(fits.max()) >= _EXPLAINED
        if fits is None:
            return 0
        place = int(fits.argmax())
        found = place - _EARLIEST
        if fits[place] < _CERTAIN:
            return 0
        known = self.samples
        if known is not None:
            old = known + _EARLIEST
            still = float(fits[max(0, old - _NEAR) : old + _NEAR + 1].max())
            if abs(found - known) <= _NEAR or still >= _OLD_SHARE * fits[place]:
                self._candidate = None
                if abs(found - known) <= _NEAR:
                    self.samples = found
                return 0
        if not self._is_left(place):
            self._candidate = None
            last, self._removed = self._removed, found
            if known is None or abs(last - found) <= _NEAR:
                self.samples = found
            return 0
        candidate, self._candidate = self._candidate, found
        if candidate is None or abs(candidate - found) > _NEAR:
            return 0
        self._candidate = None
        if known is None and (found >= _LEAST or self._was_early):
            self.samples = found
            self._was_early = False
            return 0
        self._was_early = known is None
        self.disturb()
        self.samples = None
        self._frames = -_SETTLE_FRAMES
        return found - max(_WANTED if known is None else known, _LEAST)

    def _correlations(self) -> Any:
        """Return how well each delay fits, from 0 to 1; None if too little is played or heard."""
        heard = self._heard[: _COMPARED + 1]
        if min(_loudness(heard), _loudness(self._played[-_COMPARED:])) < _AUDIBLE:
            return None
        return correlations(self._numpy, heard, self._played)[::-1]

    def _is_left(self, place: int) -> bool:
        """Return whether the echo at this place of the correlations was not removed."""
        fits = correlations(self._numpy, self._left[: _COMPARED + 1], self._played)[::-1]
        return float(fits[max(0, place - _NEAR) : place + _NEAR + 1].max()) >= _LEFT


def append_frame(sound: Any, frame: Any) -> None:
    """Append `frame` to `sound`, whose first samples are dropped."""
    sound[: -len(frame)] = sound[len(frame) :]
    sound[-len(frame) :] = frame


def correlations(numpy: Any, part: Any, whole: Any) -> Any:
    """Return how well `part` resembles each piece of `whole` that has its length, from 0 to 1.
    Both are at most _TRANSFORM samples. Their differences are compared, because most of the
    loudness of speech is in the lowest frequencies, in which all voices resemble each other.
    """
    part = part[1:] - part[:-1]
    whole = whole[1:] - whole[:-1]
    count = len(whole) - len(part) + 1
    spectrum = numpy.fft.rfft(whole, _TRANSFORM) * numpy.fft.rfft(part, _TRANSFORM).conj()
    products = abs(numpy.fft.irfft(spectrum, _TRANSFORM)[:count])
    energy = numpy.zeros(len(whole) + 1)
    numpy.cumsum(whole * whole, out=energy[1:])
    energies = numpy.maximum(energy[len(part) :] - energy[:count], _LEAST_ENERGY)
    return products / (numpy.sqrt(float(numpy.dot(part, part)) * energies) + 1.0)


def _loudness(samples: Any) -> float:
    return math.sqrt(float(samples @ samples) / len(samples))
