"""Kokoro's child process speaks clause by clause; the phonemes belong to its vocabulary."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from neodeskpet.core.voice.speech import SPEECH_RATE
from neodeskpet.voice.local_voice import KOKORO, LocalVoiceMissing
from neodeskpet.voice.synthesizers.kokoro import (
    DEFAULT_KOKORO_VOICE,
    KokoroEngine,
    KokoroSynthesizer,
)
from neodeskpet.voice.synthesizers.kokoro_child import TONE_ENGINE
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
        made = KokoroSynthesizer(KokoroEngine(extra=tmp_path), DEFAULT_KOKORO_VOICE)
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
