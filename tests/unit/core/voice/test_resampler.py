"""The resampler, in pieces of any length."""

from __future__ import annotations

import itertools
import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.voice.resampler import MonoConverter, Resampler


def samples(pcm: bytes) -> list[int]:
    return list(array("h", pcm))


def test_the_same_rate_changes_nothing() -> None:
    assert Resampler(24_000, 24_000).convert(b"\1\0\2\0") == b"\1\0\2\0"


def tone(hertz: int, rate: int) -> bytes:
    """One tenth of a second."""
    wave = (round(10_000 * math.sin(math.tau * hertz * at / rate)) for at in range(rate // 10))
    return array("h", wave).tobytes()


def loudness(pcm: bytes) -> float:
    """The root mean square of the sound without its beginning."""
    heard = samples(pcm)[100:]
    return math.sqrt(sum(one * one for one in heard) / len(heard))


def test_a_slope_stays_a_slope() -> None:
    slope = array("h", range(0, 3_000, 10)).tobytes()
    down = samples(Resampler(24_000, 16_000).convert(slope))[30:]
    assert all(abs(after - before - 15) <= 1 for before, after in itertools.pairwise(down))
    up = samples(Resampler(16_000, 32_000).convert(slope))[30:]
    assert all(abs(after - before - 5) <= 1 for before, after in itertools.pairwise(up))


@pytest.mark.parametrize(("source", "target"), [(24_000, 16_000), (16_000, 24_000), (7_993, 9_001)])
def test_a_tone_keeps_its_loudness(source: int, target: int) -> None:
    before = tone(1_000, source)
    assert loudness(Resampler(source, target).convert(before)) == pytest.approx(7_071, rel=0.01)


@pytest.mark.parametrize("hertz", [9_500, 11_000])
def test_a_tone_that_the_target_rate_cannot_have_is_removed(hertz: int) -> None:
    assert loudness(Resampler(24_000, 16_000).convert(tone(hertz, 24_000))) < 100


def test_loud_sound_is_not_turned_over() -> None:
    square = array("h", ([32_767] * 20 + [-32_768] * 20) * 20).tobytes()
    converted = samples(Resampler(24_000, 16_000).convert(square))
    assert (max(converted), min(converted)) == (32_767, -32_768)


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
