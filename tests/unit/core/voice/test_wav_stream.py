"""A WAV file in pieces of any length gives the sound of the whole."""

from __future__ import annotations

import io
import itertools
import struct
import wave
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.voice.wav_stream import WavStream


def wav(samples: list[int], *, rate: int = 24_000, channels: int = 1) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(array("h", samples).tobytes())
    return buffer.getvalue()


@given(
    samples=st.lists(st.integers(-32_768, 32_767), max_size=40),
    cuts=st.lists(st.integers(0, 150), max_size=5),
)
def test_pieces_give_what_the_file_holds(samples: list[int], cuts: list[int]) -> None:
    file = wav(samples)
    stream, sound, places = WavStream(24_000), b"", [0, *sorted(cuts), len(file) + 150]
    for start, end in itertools.pairwise(places):
        sound += stream.convert(file[start:end])
    assert list(array("h", sound)) == samples


def test_stereo_and_another_rate_become_mono() -> None:
    sound = WavStream(16_000).convert(wav([100, 300] * 192, rate=48_000, channels=2))
    assert list(array("h", sound))[16:] == [200] * 48


def test_other_chunks_and_an_unknown_length_are_accepted() -> None:
    file = bytearray(wav([5, 6, 7]))
    file[40:44] = struct.pack("<I", 0xFFFFFFFF)
    listed = bytes(file[:36]) + b"LIST\3\0\0\0abc\0" + bytes(file[36:])
    assert list(array("h", WavStream(24_000).convert(listed))) == [5, 6, 7]


def test_what_follows_the_sound_is_not_played() -> None:
    file = wav([5, 6, 7]) + b"LIST\4\0\0\0abcd"
    assert list(array("h", WavStream(24_000).convert(file))) == [5, 6, 7]


@pytest.mark.parametrize(
    "file",
    [
        b"no wave",
        b"RIFF\0\0\0\0WAVEdata\4\0\0\0abcd",
        b"RIFF\0\0\0\0WAVE" + b"LIST\2\0\0\0ab" * 7_000,
        wav([1])[:34] + b"\x08\0" + wav([1])[36:],  # eight bits
        wav([1], rate=4_000),
    ],
)
def test_other_files_are_refused(file: bytes) -> None:
    with pytest.raises(ValueError, match=r"WAV|rate"):
        WavStream(24_000).convert(file)
