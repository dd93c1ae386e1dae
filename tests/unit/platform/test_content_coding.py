"""Bodies are decompressed in pieces of limited size, whatever their total size."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.platform.content_coding import (
    PIECE_BYTES,
    CodingRefused,
    UnpackedTooLarge,
    Unpacker,
    coding_of,
    unpack_chunks,
)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def two_members(data: bytes) -> bytes:
    return gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :])


def pieces_of(chunks: Sequence[bytes], header: str, most: int | None = None) -> list[bytes]:
    async def body() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    async def read() -> list[bytes]:
        return [piece async for piece in unpack_chunks(body(), header, most)]

    return asyncio.run(read())


@pytest.mark.parametrize(
    ("header", "coding"),
    [("", ""), ("identity", ""), ("gzip", "gzip"), ("X-GZIP", "gzip"), ("gzip, identity", "gzip")],
)
def test_one_encoding_is_accepted(header: str, coding: str) -> None:
    assert coding_of(header) == coding


@pytest.mark.parametrize("header", ["gzip, gzip", "gzip,deflate", "br", "zstd", "compress"])
def test_other_encodings_are_refused(header: str) -> None:
    with pytest.raises(CodingRefused):
        pieces_of([b"x"], header)


@given(
    st.binary(max_size=300),
    st.sampled_from([gzip.compress, zlib.compress, raw_deflate, two_members]),
    st.lists(st.integers(1, 40), max_size=30),
    st.integers(1, 50),
)
def test_any_split_gives_the_same_bytes(
    data: bytes, pack: object, cuts: list[int], most: int
) -> None:
    packed = pack(data)  # type: ignore[operator]
    coding = "gzip" if pack in (gzip.compress, two_members) else "deflate"
    unpacker, found, start = Unpacker(coding), b"", 0
    for size in (*cuts, len(packed)):
        unpacker.feed(packed[start : start + size])
        start += size
        while not unpacker.is_empty:
            piece = unpacker.take(most)
            assert len(piece) <= most
            found += piece
    assert found == data


def test_a_bomb_comes_in_small_pieces_and_is_given_up() -> None:
    packed = gzip.compress(bytes(20_000_000))
    pieces = pieces_of([packed], "gzip")
    assert sum(map(len, pieces)) == 20_000_000
    assert max(map(len, pieces)) <= PIECE_BYTES
    with pytest.raises(UnpackedTooLarge):
        pieces_of([packed], "gzip", 1_000_000)


@pytest.mark.parametrize(("header", "body"), [("gzip", b"no gzip"), ("deflate", b"\xff\xff\xff")])
def test_a_damaged_body_is_refused(header: str, body: bytes) -> None:
    with pytest.raises(CodingRefused):
        pieces_of([body], header)


def test_data_after_a_complete_body_is_ignored() -> None:
    assert b"".join(pieces_of([gzip.compress(b"a") + b"\0\0"], "gzip")) == b"a"
    assert b"".join(pieces_of([zlib.compress(b"a"), b"rest"], "deflate")) == b"a"
    assert pieces_of([b"a", b"b"], "", 1) == [b"a", b"b"]
