from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.figure.lipsync import VOWELS, LipSync, mouth_shape
from neodeskpet.figure.lipsync import syllables as beats


@pytest.mark.parametrize(
    ("text", "syllables", "pauses"),
    [
        ("你好", 2, 0),
        ("你好，世界。", 4, 2),
        ("hello world", 3, 0),
        ("Hm.", 1, 1),
        ("2026", 4, 0),
        ("`` ** ☕", 0, 0),
        ("", 0, 0),
        ("こんにちは", 5, 0),
    ],
)
def test_syllables(text: str, syllables: int, pauses: int) -> None:
    found = beats(text)
    assert sum(beat.opening > 0 for beat in found) == syllables
    assert sum(beat.opening == 0 for beat in found) == pauses


@pytest.mark.parametrize(
    ("text", "vowels"),
    [
        ("banana", "AAA"),
        ("See you, moon!", "I U U"),
        ("I like rhymes", "IIIE"),
        ("Señor Müller", "EOUE"),
        ("привет", "IE"),
        ("こんにちは", "O II A".replace(" ", "")),
        ("キャット", "IAUO"),
        ("안녕", "AO"),
    ],
)
def test_vowels(text: str, vowels: str) -> None:
    spoken = "".join(beat.vowel for beat in beats(text) if beat.opening > 0)
    assert spoken == vowels.replace(" ", "")


def test_a_chinese_character_always_has_the_same_vowel() -> None:
    text = "今天天气很好我们出去走走吧"
    vowels = [beat.vowel for beat in beats(text)]
    assert set(vowels) <= set(VOWELS)
    assert len(set(vowels)) > 2
    assert vowels == [beat.vowel for character in text for beat in beats(character)]


OWN = {vowel: f"Param{vowel}" for vowel in VOWELS}


def test_a_vowel_has_its_own_shape_if_the_model_has_it() -> None:
    shape = mouth_shape(0.85, "O", ["ParamMouthOpenY"], OWN)
    assert shape["ParamO"] == 1.0
    assert sum(shape.values()) == 1.0
    assert mouth_shape(0.3, "I", ["ParamA"], OWN)["ParamI"] == pytest.approx(0.5)


def test_without_it_the_mouth_only_opens() -> None:
    assert mouth_shape(0.5, "O", ["ParamMouthOpenY"], {}) == {"ParamMouthOpenY": 0.5}
    some = mouth_shape(0.5, "O", ["ParamMouthOpenY"], {"A": "ParamA"})
    assert some == {"ParamMouthOpenY": 0.5, "ParamA": 0.0}
    assert mouth_shape(0.5, "", ["ParamMouthOpenY"], OWN) == {"ParamMouthOpenY": 0.5}


def test_a_closed_mouth_is_closed() -> None:
    assert set(mouth_shape(0.0, "A", ["ParamMouthOpenY"], OWN).values()) == {0.0}


def test_the_mouth_opens_and_closes() -> None:
    lips = LipSync()
    lips.feed("你好", 10.0)
    levels = [lips.level(10.0 + step * 0.02) for step in range(40)]
    assert max(levels) > 0.4
    assert levels[0] == 0.0
    assert levels[-1] == 0.0
    assert not lips.speaking(11.0)


def test_it_never_falls_far_behind() -> None:
    lips = LipSync()
    lips.feed("字" * 10_000, 0.0)
    assert lips.speaking(4.0)
    assert not lips.speaking(6.0)


def test_it_ends_soon_after_the_text() -> None:
    lips = LipSync()
    lips.feed("字" * 100, 0.0)
    lips.end(0.1)
    assert lips.speaking(1.5)
    assert not lips.speaking(2.5)


def test_stop_closes_at_once() -> None:
    lips = LipSync()
    lips.feed("你好你好", 0.0)
    lips.stop()
    assert lips.level(0.1) == 0.0


def test_it_continues_after_a_pause() -> None:
    lips = LipSync()
    lips.feed("你", 0.0)
    assert not lips.speaking(60.0)
    lips.feed("好", 60.0)
    assert lips.level(60.1) > 0.3


@given(st.lists(st.tuples(st.text(max_size=40), st.floats(0, 2)), max_size=20))
def test_levels_are_between_0_and_1(pieces: list[tuple[str, float]]) -> None:
    lips, now = LipSync(), 0.0
    for text, seconds in pieces:
        lips.feed(text, now)
        now += seconds
        assert 0.0 <= lips.level(now) <= 1.0
        shape = mouth_shape(lips.level(now), lips.vowel(now), ["ParamMouthOpenY"], OWN)
        assert all(0.0 <= value <= 1.0 for value in shape.values())
