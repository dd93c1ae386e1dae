"""Reads a WAV file that arrives in pieces, and converts it to mono at another rate."""

from __future__ import annotations

import struct

from neodeskpet.core.voice.resampler import MonoConverter

_MOST_HEADER = 1 << 16
_PCM, _EXTENSIBLE = 1, 0xFFFE


class WavStream:
    """Takes 16-bit PCM with one or two channels."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._head = b""
        self._converter: MonoConverter | None = None
        self._left: int | None = None
        """Bytes of sound that must still arrive; None: until the end. A streaming server doesn't
        know the length.
        """

    def convert(self, piece: bytes) -> bytes:
        """Return the samples that `piece` completes. Raises ValueError for other formats."""
        if self._converter is None:
            self._head += piece
            piece = self._read_header()
            if self._converter is None:
                return b""
        if self._left is not None:
            piece = piece[: self._left]
            self._left -= len(piece)
        return self._converter.convert(piece)

    def _read_header(self) -> bytes:
        """Read the header if it is complete; return the sound after it."""
        head, at = self._head, 12
        if len(head) > _MOST_HEADER or head[:4] != b"RIFF"[: len(head)]:
            raise ValueError("no WAV file")
        converter: MonoConverter | None = None
        while at + 8 <= len(head):
            name, size = struct.unpack_from("<4sI", head, at)
            at += 8
            if name == b"data":
                if converter is None:
                    raise ValueError("a WAV file without a format")
                self._converter = converter
                self._left = size if 0 < size < 0x7FFFFF00 else None
                self._head = b""
                return head[at:]
            if name == b"fmt " and at + 16 <= len(head):
                converter = self._read_format(head, at)
            at += size + size % 2
        return b""

    def _read_format(self, head: bytes, at: int) -> MonoConverter:
        kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", head, at)
        if kind not in (_PCM, _EXTENSIBLE) or bits != 16 or channels not in (1, 2):
            raise ValueError("a WAV file of another format")
        if not 8_000 <= rate <= 192_000:
            raise ValueError("an odd sample rate")
        return MonoConverter(rate, channels, self._rate)
