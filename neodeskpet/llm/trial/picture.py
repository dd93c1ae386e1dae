"""The smallest picture that a model can be asked about."""

from __future__ import annotations

import struct
import zlib


def plain_png(red: int, green: int, blue: int, side: int = 64) -> bytes:
    """A square PNG of one colour (0..255 each), `side` pixels wide."""
    row = b"\0" + bytes((red, green, blue)) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(row * side, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(name + data))
    return struct.pack(">I", len(data)) + name + data + checksum
