"""Kokoro's child process speaks clause by clause; the phonemes belong to its vocabulary."""

from __future__ import annotations

import asyncio
import math
from contextlib import aclosing
from pathlib import Path

import numpy
import pytest

from neodeskpet.core.voice.speech import SPEECH_RATE
from neodeskpet.platform.installation import assets_dir
from neodeskpet.voice.local_voice import KOKORO, LocalVoiceMissing
from neodeskpet.voice.synthesizers.kokoro import (
    DEFAULT_KOKORO_VOICES,
    KOKORO_VOICES,
    KokoroEngine,
    KokoroSynthesizer,
)
from neodeskpet.voice.synthesizers.kokoro_child import TONE_ENGINE, with_length
from neodeskpet.voice.synthesizers.kokoro_phonemes import (
    chinese_symbols,
    english_symbols,
    kokoro_phonemes,
)
from tests.unit.voice.test_local_voice import fill


def test_each_clause_is_a_piece(tmp_path: Path) -> None:
    fill(tmp_path, KOKORO)

    async def go() -> list[bytes]:
        engine = KokoroEngine(TONE_ENGINE, extra=tmp_path)
        made = KokoroSynthesizer(engine, "unknown voice", 1.5)
        pieces = [one async for one in made.synthesize("When it rains again, we stay at home.")]
        async with aclosing(made.synthesize("When it rains again, we stay at home.")) as stopped:
            await anext(stopped)
        assert engine.running
        await engine.aclose()
        assert not engine.running
        assert [one async for one in made.synthesize("")] == []
        return pieces

    first, second = asyncio.run(go())
    assert len(first) == len("When it rains again,") * SPEECH_RATE // 100 * 2
    gap = SPEECH_RATE // 10 * 2
    assert len(second) - gap == len("we stay at home.") * SPEECH_RATE // 100 * 2
    assert not any(second[:gap])


def test_it_is_loaded_before_there_is_text(tmp_path: Path) -> None:
    async def go(engine: KokoroEngine) -> bool:
        await engine.warm_up()
        loaded = engine.running
        await engine.warm_up()
        await engine.aclose()
        return loaded

    assert not asyncio.run(go(KokoroEngine(TONE_ENGINE, extra=tmp_path))), "no model, no error"
    fill(tmp_path, KOKORO)
    assert asyncio.run(go(KokoroEngine(TONE_ENGINE, extra=tmp_path)))


def test_without_the_model_it_says_so(tmp_path: Path) -> None:
    async def go() -> None:
        made = KokoroSynthesizer(KokoroEngine(extra=tmp_path), DEFAULT_KOKORO_VOICES["en"])
        await anext(made.synthesize("Hello there."))

    with pytest.raises(LocalVoiceMissing):
        asyncio.run(go())


def test_mixed_text_is_converted_to_the_phonemes_of_its_language() -> None:
    said = kokoro_phonemes(
        "我用Python写了，don't worry！（好）", lambda text: f"<{text}>", lambda text: text.upper()
    )
    assert said == "<我用> PYTHON <写了>, DON'T WORRY! (<好>)"


def test_phonemes_are_written_with_symbols_of_the_model() -> None:
    assert english_symbols("həlˈo^ʊ d^ʒˈʌd^ʒ ˈe^ɪt ɜːɹ") == "həlˈO ʤˈʌʤ ˈAt ɜɹ"
    assert chinese_symbols("ʈʂɻ̩˥˩") == "ꭧɨ↘"
    assert chinese_symbols("ʈʂʰa˥") == "ꭧʰa→"
    assert chinese_symbols("tɕja˥") == "ʨja→"
    assert chinese_symbols("tsʰai̯˧˥") == "ʦʰai↗"
    assert chinese_symbols("ni˧˩˧") == "ni↓"


def test_marks_within_a_number_or_an_abbreviation_belong_to_it() -> None:
    said = kokoro_phonemes("It is 3.5, e.g. at 14:30.", str, lambda text: f"<{text}>")
    assert said == "<It is 3.5>, <e.g>. <at 14:30>."


def test_the_voices_of_the_program_are_the_ones_in_its_list() -> None:
    voices = numpy.load(assets_dir() / "voices" / "kokoro.npz")
    assert set(voices) == {one for one in KOKORO_VOICES if not one.startswith("j")}
    assert set(DEFAULT_KOKORO_VOICES.values()) <= set(voices)
    for name in voices:
        assert voices[name].shape == (256, 256)
        assert numpy.isfinite(voices[name]).all()


def test_a_sound_of_another_length_has_the_same_shape() -> None:
    wave = numpy.sin(numpy.arange(2_400) * math.tau / 60)
    higher = with_length(numpy, wave, 2_000)
    assert numpy.allclose(higher, numpy.sin(numpy.arange(2_000) * math.tau / 50), atol=0.01)
    lower = with_length(numpy, wave, 3_000)
    assert numpy.allclose(lower, numpy.sin(numpy.arange(3_000) * math.tau / 75), atol=0.01)
