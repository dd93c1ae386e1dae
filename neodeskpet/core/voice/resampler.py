"""Converts mono 16-bit sound from one sample rate to another, piece by piece."""

from __future__ import annotations

from array import array
from math import ceil, cos, gcd, pi, sin
from operator import mul

_ZEROS = 8
"""Zeros of the sinc on each side: more make the filter steeper and slower."""
_PASSED = 0.9
"""Share of the smaller of both frequency ranges that passes the filter."""
_MOST_FILTERS = 256
"""Places between two source samples that have a filter of their own; others use the nearest."""


class MonoConverter:
    """Converts 16-bit sound with one or two channels to mono at another rate. Pieces may end within
    a sample.
    """

    def __init__(self, source: int, channels: int, target: int) -> None:
        self._channels = channels
        self._resampler = Resampler(source, target)
        self._rest = b""

    def convert(self, piece: bytes) -> bytes:
        """Return the samples at the target rate that `piece` completes."""
        data = self._rest + piece
        whole = len(data) // (2 * self._channels) * 2 * self._channels
        self._rest = data[whole:]
        samples = array("h")
        samples.frombytes(data[:whole])
        if self._channels == 2:
            pairs = zip(samples[::2], samples[1::2], strict=True)
            samples = array("h", [(left + right) // 2 for left, right in pairs])
        return self._resampler.convert(samples.tobytes()) if samples else b""


class Resampler:
    """A low-pass filter and an interpolation in one step, so that sound above half the target rate
    does not come back as noise. The sound comes out later by half the filter (0.5 ms from 24 to
    16 kHz). Each piece has whole samples, any number of them.
    """

    def __init__(self, source: int, target: int) -> None:
        divisor = gcd(source, target)
        self._step, self._steps = source // divisor, target // divisor
        """The distance of two output samples, in parts of a source sample; the number of parts."""
        self._scale = min(1.0, target / source)
        self._half = ceil(_ZEROS / self._scale)
        self._samples = array("h", bytes(2 * (2 * self._half - 1)))
        """The samples that the next output sample needs, from `_skip` on."""
        self._skip = 0
        self._part = 0
        self._filters: dict[int, tuple[float, ...]] = {}

    def convert(self, pcm: bytes) -> bytes:
        """Return the samples at the target rate that `pcm` completes."""
        if self._step == self._steps:
            return pcm
        samples = self._samples
        samples.frombytes(pcm)
        start, part, width = self._skip, self._part, 2 * self._half
        converted = array("h")
        while start + width <= len(samples):
            weighted = map(mul, self._filter(part), samples[start : start + width])
            converted.append(max(-32768, min(32767, round(sum(weighted)))))
            part += self._step
            start += part // self._steps
            part %= self._steps
        self._samples = samples[start:]
        self._skip, self._part = max(0, start - len(samples)), part
        return converted.tobytes()

    def _filter(self, part: int) -> tuple[float, ...]:
        """Return the weights of the source samples around a place between two of them."""
        parts = min(self._steps, _MOST_FILTERS)
        place = part * parts // self._steps
        known = self._filters.get(place)
        if known is None:
            first = 1 - self._half - place / parts
            weights = [self._weight(first + at) for at in range(2 * self._half)]
            total = sum(weights)
            known = self._filters[place] = tuple(one / total for one in weights)
        return known

    def _weight(self, distance: float) -> float:
        """Return the weight of a source sample: a sinc in a Hann window."""
        if abs(distance) >= self._half:
            return 0.0
        angle = pi * distance * self._scale * _PASSED
        sinc = sin(angle) / angle if angle else 1.0
        return sinc * (0.5 + 0.5 * cos(pi * distance / self._half))
