"""Unpacks the bodies of HTTP responses within limits.

A body of 3 KB may unpack to gigabytes, so no library unpacks by itself here: the data comes in
pieces of at most `PIECE_BYTES`, and the sum is limited. Only one coding is accepted, gzip or
deflate; a second one would multiply the factor. Only the first small piece of each chunk is
unpacked on the event loop, the rest in a thread.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncGenerator, AsyncIterable

ACCEPTED = "gzip, deflate"
"""For the request's Accept-Encoding header."""
PIECE_BYTES = 1 << 18
"""Bytes that are unpacked at once."""
_ON_LOOP = 1 << 16
_GZIP = frozenset({"gzip", "x-gzip"})


class CodingRefused(ValueError):
    """The body has a coding that is not accepted, or it is damaged."""


class UnpackedTooLarge(CodingRefused):
    """The body unpacks to more bytes than allowed."""


def coding_of(header: str) -> str:
    """Return the only coding in a Content-Encoding header, "" for none. Raises CodingRefused."""
    named = [one.strip().lower() for one in header.split(",")]
    named = [one for one in named if one not in ("", "identity", "none")]
    if len(named) > 1:
        raise CodingRefused("more than one content coding")
    if not named:
        return ""
    if named[0] not in _GZIP | {"deflate"}:
        raise CodingRefused(f"unknown content coding {named[0][:40]}")
    return "deflate" if named[0] == "deflate" else "gzip"


async def unpack_chunks(
    chunks: AsyncIterable[bytes], header: str, most: int | None = None
) -> AsyncGenerator[bytes, None]:
    """Yield the body in `chunks` without the coding named by `header`, at most `most` bytes. Raises
    CodingRefused.
    """
    coding = coding_of(header)
    if not coding:
        async for chunk in chunks:
            yield chunk
        return
    unpacker, size = Unpacker(coding), 0
    async for chunk in chunks:
        unpacker.feed(chunk)
        piece = unpacker.take(_ON_LOOP)
        while piece:
            size += len(piece)
            if most is not None and size > most:
                raise UnpackedTooLarge(f"more than {most} bytes")
            yield piece
            piece = (
                b"" if unpacker.is_empty else await asyncio.to_thread(unpacker.take, PIECE_BYTES)
            )


class Unpacker:
    """Unpacks bytes with a limit: call `feed`, then `take` until it `is_empty`."""

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._stream = zlib.decompressobj(31) if coding == "gzip" else None
        self._waiting = b""
        self._full = False  # the last piece had the maximum length, so there may be more

    @property
    def is_empty(self) -> bool:
        """Whether nothing more can be unpacked before the next `feed`."""
        return not self._full and (not self._waiting or self._needs_more())

    def feed(self, data: bytes) -> None:
        self._waiting += data

    def take(self, most: int) -> bytes:
        """Return at most `most` bytes. Raises CodingRefused."""
        while not self.is_empty:
            if taken := self._step(most):
                return taken
        return b""

    def _needs_more(self) -> bool:
        """Return whether two bytes are missing that identify the form of a body, or of its next
        part.
        """
        return len(self._waiting) < 2 and (self._stream is None or self._stream.eof)

    def _step(self, most: int) -> bytes:
        data, self._waiting, self._full = self._waiting, b"", False
        stream = self._stream
        if stream is None:  # some servers omit the zlib header
            framed = data[0] & 15 == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            stream = zlib.decompressobj(15 if framed else -15)
        elif stream.eof:
            if self._coding != "gzip" or not data.startswith(b"\x1f\x8b"):
                return b""  # data after a complete body is ignored, as in browsers
            stream = zlib.decompressobj(31)
        self._stream = stream
        try:
            taken = stream.decompress(data, most)
        except zlib.error as error:
            raise CodingRefused(str(error)) from None
        self._waiting = stream.unconsumed_tail or stream.unused_data
        self._full = len(taken) >= most and not stream.eof
        return taken
