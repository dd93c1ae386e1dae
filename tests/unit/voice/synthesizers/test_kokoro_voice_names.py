"""Each voice of Kokoro has a name that a user understands, in both languages."""

from __future__ import annotations

import pytest

from neodeskpet.language import set_language
from neodeskpet.voice.synthesizers.kokoro import KOKORO_VOICES
from neodeskpet.voice.synthesizers.kokoro_voice_names import (
    find_kokoro_voice,
    kokoro_voice_name,
)


def test_the_name_tells_language_and_kind() -> None:
    assert kokoro_voice_name("zf_xiaobei") == "Xiaobei (Chinese, female)"
    assert kokoro_voice_name("bm_george") == "George (British English, male)"
    set_language("zh_CN")
    assert kokoro_voice_name("zf_xiaobei") == "小贝（中文，女声）"
    assert kokoro_voice_name("jm_kumo") == "Kumo（日语，男声）"


@pytest.mark.parametrize("name", ["en", "zh_CN"])
def test_every_voice_has_a_name_of_its_own(name: str) -> None:
    set_language(name)
    shown = [kokoro_voice_name(one) for one in KOKORO_VOICES]
    assert len(set(shown)) == len(KOKORO_VOICES)
    assert not any("_" in one for one in shown)
    if name == "zh_CN":
        assert all(
            text[0] > "一" for one, text in zip(KOKORO_VOICES, shown, strict=True) if one[0] == "z"
        )


def test_an_unknown_voice_keeps_its_id() -> None:
    assert kokoro_voice_name("own") == "own"
    assert kokoro_voice_name("xx_own") == "xx_own"


@pytest.mark.parametrize("name", ["en", "zh_CN"])
def test_a_voice_is_found_by_its_name(name: str) -> None:
    shown = {one: kokoro_voice_name(one) for one in KOKORO_VOICES}
    set_language(name)
    for voice in KOKORO_VOICES:
        assert find_kokoro_voice(voice) == voice
        assert find_kokoro_voice(kokoro_voice_name(voice)) == voice
        assert find_kokoro_voice(shown[voice]) == voice, "it was written in another language"
    assert find_kokoro_voice(" xiaobei ") == find_kokoro_voice("小贝") == "zf_xiaobei"
    assert find_kokoro_voice("nova") == "nova"
    assert find_kokoro_voice("") == ""
