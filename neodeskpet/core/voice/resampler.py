"""Converts mono 16-bit sound from one sample rate to another, piece by piece."""

from __future__ import annotations

from array import array


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
    """Interpolates linearly between samples. Each piece has whole samples, any number of them."""

    def __init__(self, source: int, target: int) -> None:
        self._source = source
        self._target = target
        self._last = 0
        self._phase = 0
        """The next output sample's place after `_last`, in `1 / target` source samples."""

    def convert(self, pcm: bytes) -> bytes:
        """Return the samples at the target rate that `pcm` completes."""
        if self._source == self._target:
            return pcm
        samples = array("h", [self._last])
        samples.frombytes(pcm)
        count, phase = len(samples) - 1, self._phase
        converted = array("h")
        while phase < count * self._target:
            index, rest = divmod(phase, self._target)
            left = samples[index]
            converted.append(left + (samples[index + 1] - left) * rest // self._target)
            phase += self._source
        self._phase = phase - count * self._target
        self._last = samples[-1]
        return converted.tobytes()
