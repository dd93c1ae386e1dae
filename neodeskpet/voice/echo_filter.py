"""Removes the companion's own voice from the microphone's sound with a linear filter.

AEC3 also suppresses what it takes for the rest of an echo, and with it a person who speaks at the
same time. This filter only subtracts: what a person says stays as it is. It is a frequency domain
Kalman filter in parts of one frame (Enzner and Vary, 2006; in parts: Kuech, Mabande and Enzner,
2014). It learns less while a person speaks, without another detector for that.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from neodeskpet.core.voice.ports import FRAME_BYTES

_FRAME = FRAME_BYTES // 2
_TRANSFORM = 2 * _FRAME
_PARTS = 42
"""Frames of the echo that are found: 420 ms, which is more than the longest delay."""
_STEADY = 0.9995
"""How little the way through the room changes from one frame to the next."""
_NOISE_SHARE = 0.9
"""Share of the last noise in the mean."""
_START_VARIANCE, _START_NOISE = 0.003, 1e4
_KEEP_FRAMES, _KEPT = 10, 4
"""Every 100 ms the filter is kept, for 300 to 400 ms."""


class EchoFilter:
    """Gets each frame of the microphone, and what was played for it."""

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy
        shape = (_PARTS, _FRAME + 1)
        self._played = numpy.zeros(shape, numpy.complex64)
        self._last = numpy.zeros(_FRAME, numpy.float32)
        self._weights = numpy.zeros(shape, numpy.complex64)
        self._variance = numpy.full(shape, _START_VARIANCE, numpy.float32)
        self._noise = numpy.full(_FRAME + 1, _START_NOISE, numpy.float32)
        self._kept: deque[tuple[Any, Any]] = deque(maxlen=_KEPT)
        self._frames = 0
        self._silent_frames = _PARTS + 1
        self.estimate: Any = numpy.zeros(_FRAME)
        """The echo in the last frame, as far as it is known."""

    def process(self, heard: Any, played: Any) -> Any:
        """Return the frame without the echo."""
        if self._is_silent(played):
            self.estimate = self._numpy.zeros(_FRAME)
            return heard.astype(self._numpy.float32)
        fft = self._numpy.fft
        self._add(played)
        self.estimate = fft.irfft((self._played * self._weights).sum(0), _TRANSFORM)[_FRAME:]
        left = heard - self.estimate
        padded = self._numpy.zeros(_TRANSFORM)
        padded[_FRAME:] = left
        self._adapt(fft.rfft(padded).astype(self._numpy.complex64))
        self._frames += 1
        if self._frames % _KEEP_FRAMES == 0:
            self._kept.append((self._weights.copy(), self._variance.copy()))
        return left

    def restore(self) -> None:
        """The reference was moved because the delay of the echo had changed: go back to the filter
        from before the change.
        """
        if self._kept:
            weights, variance = self._kept[0]
            self._weights, self._variance = weights.copy(), variance.copy()
            self._kept.clear()

    def _is_silent(self, played: Any) -> bool:
        """Return whether nothing that was played can be in the microphone."""
        self._silent_frames = 0 if played.any() else self._silent_frames + 1
        return self._silent_frames > _PARTS

    def _add(self, played: Any) -> None:
        self._played[1:] = self._played[:-1]
        both = self._numpy.concatenate([self._last, played])
        self._played[0] = self._numpy.fft.rfft(both)
        self._last = both[_FRAME:]

    def _adapt(self, left: Any) -> None:
        """Learn from what was left of a frame."""
        fft = self._numpy.fft
        power = self._played.real**2 + self._played.imag**2
        expected = 0.5 * (self._variance * power).sum(0)
        heard = left.real**2 + left.imag**2
        self._noise = _NOISE_SHARE * self._noise + (1.0 - _NOISE_SHARE) * heard
        step = self._variance / (expected + self._noise + 1e-3)
        change = fft.irfft(step * self._played.conj() * left, _TRANSFORM, axis=1)
        change[:, _FRAME:] = 0.0
        self._weights += fft.rfft(change, axis=1).astype(self._numpy.complex64)
        strength = self._weights.real**2 + self._weights.imag**2
        steady = _STEADY * _STEADY
        self._variance *= steady * (1.0 - 0.5 * step * power)
        self._variance += (1.0 - steady) * strength
