"""The resampler, in pieces of any length."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.voice.resampler import MonoConverter, Resampler


def samples(pcm: bytes) -> list[int]:
    return list(array("h", pcm))


def test_the_same_rate_changes_nothing() -> None:
    assert Resampler(24_000, 24_000).convert(b"\1\0\2\0") == b"\1\0\2\0"


def test_a_slope_stays_a_slope() -> None:
    slope = array("h", range(0, 3_000, 10)).tobytes()
    assert samples(Resampler(24_000, 16_000).convert(slope))[1:5] == [5, 20, 35, 50]
    assert samples(Resampler(16_000, 32_000).convert(slope))[2:6] == [0, 5, 10, 15]


@pytest.mark.parametrize(("source", "target"), [(24_000, 16_000), (22_050, 24_000), (8, 3)])
@given(pieces=st.lists(st.lists(st.integers(-32_768, 32_767), max_size=30), max_size=8))
def test_pieces_give_what_the_whole_gives(
    source: int, target: int, pieces: list[list[int]]
) -> None:
    resampler = Resampler(source, target)
    joined = b"".join(resampler.convert(array("h", piece).tobytes()) for piece in pieces)
    whole = array("h", [one for piece in pieces for one in piece]).tobytes()
    assert joined == Resampler(source, target).convert(whole)
    assert abs(len(joined) / target - len(whole) / source) <= 2 / source + 2 / target


def test_two_channels_become_one_in_pieces_of_any_length() -> None:
    stereo = array("h", [10, 20, -30, -10, 5, 6]).tobytes()
    for step in (1, 3, 4, 12):
        converter = MonoConverter(24_000, 2, 24_000)
        parts = (stereo[at : at + step] for at in range(0, len(stereo), step))
        assert samples(b"".join(map(converter.convert, parts))) == [15, -20, 5]
