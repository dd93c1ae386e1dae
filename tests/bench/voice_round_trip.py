"""Speaks sentences with Kokoro, recognizes them with Whisper, and compares (`./run bench voice
--local`). It needs the extra `local-voice`.

Both texts are compared as they are read aloud: numbers and signs as words, without punctuation and
spaces, English with American spelling. English is compared by characters, Chinese by pinyin
syllables without tones; in mixed sentences an English word counts as one syllable.
"""

from __future__ import annotations

import re
import statistics
import time
import unicodedata
from collections.abc import Sequence
from contextlib import aclosing
from difflib import SequenceMatcher
from typing import Any

from neodeskpet.core.voice.ports import LISTEN_RATE
from neodeskpet.core.voice.pronunciation import pronounceable
from neodeskpet.core.voice.resampler import Resampler
from neodeskpet.core.voice.speech import SPEECH_RATE, speakable, spoken_language
from neodeskpet.platform.installation import add_extras_to_path
from neodeskpet.voice.recognizers.whisper import WhisperRecognizer
from neodeskpet.voice.synthesizers.kokoro import KokoroEngine, KokoroSynthesizer
from tests.bench.voice_sentences import HELD_OUT, TUNING

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = (
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
)  # fmt: skip
_SPELLINGS = (("our", "or"), ("metre", "meter"), ("litre", "liter"))


async def measure(count: int, voice: str = "") -> dict[str, float]:
    """Speak and recognize at most `count` sentences of each kind of both sets; `voice` is "" for
    the default voice of the language. Prints each difference.
    """
    add_extras_to_path()
    figures: dict[str, float] = {}
    async with _Engines(voice) as engines:
        for kind in ("en", "zh", "mixed"):
            shares: list[float] = []
            for name, sentences in (("tuning", TUNING[kind]), ("held out", HELD_OUT[kind])):
                part = [await engines.share(one, kind) for one in sentences[:count]]
                shares += part
                figures[f"{kind}, {name}: percent that came back"] = _percent(part)
            figures[f"{kind}: percent that came back"] = _percent(shares)
        return figures | engines.figures()


def _percent(shares: Sequence[float]) -> float:
    return round(100 * statistics.mean(shares), 1)


class _Engines:
    """Speaks, listens, and measures both."""

    def __init__(self, voice: str) -> None:
        self._engine = KokoroEngine()
        self._synthesizer = KokoroSynthesizer(self._engine, voice)
        self._recognizer = WhisperRecognizer()
        self._firsts: list[float] = []
        self._spoken_seconds = self._synthesis = self._recognition = 0.0

    async def __aenter__(self) -> _Engines:
        await self._engine.warm_up()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._engine.aclose()
        await self._recognizer.aclose()

    async def share(self, sentence: str, kind: str) -> float:
        """Return the share of the sentence that comes back."""
        language = spoken_language(sentence)
        words = pronounceable(speakable(sentence), language)
        began = time.perf_counter()
        pieces: list[bytes] = []
        async with aclosing(self._synthesizer.synthesize(words, language)) as made:
            async for piece in made:
                if not pieces:
                    self._firsts.append(time.perf_counter() - began)
                pieces.append(piece)
        self._synthesis += time.perf_counter() - began
        pcm = b"".join(pieces)
        self._spoken_seconds += len(pcm) / 2 / SPEECH_RATE
        began = time.perf_counter()
        sound = Resampler(SPEECH_RATE, LISTEN_RATE).convert(pcm)
        texts = [one async for one in self._recognizer.recognize(sound, language)]
        heard = texts[-1].text
        self._recognition += time.perf_counter() - began
        share = agreement(words, pronounceable(heard, language), kind)
        if share < 1.0:
            print(f"  {share:4.0%}  {sentence} | {heard}", flush=True)
        return share

    def figures(self) -> dict[str, float]:
        firsts = sorted(self._firsts)
        return {
            "first sound of Kokoro, median ms": round(1000 * statistics.median(firsts)),
            "first sound of Kokoro, 95 % ms": round(1000 * firsts[len(firsts) * 95 // 100]),
            "real-time factor of Kokoro": round(self._synthesis / self._spoken_seconds, 2),
            "real-time factor of Whisper": round(self._recognition / self._spoken_seconds, 2),
        }


def agreement(said: str, heard: str, kind: str) -> float:
    """Return the share of `said` that `heard` has, in order."""
    wanted, found = _units(said, kind), _units(heard, kind)
    same = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    return sum(block.size for block in same) / max(1, len(wanted), len(found))


def _units(text: str, kind: str) -> list[str]:
    text = unicodedata.normalize("NFKC", text).casefold()
    if kind == "en":
        # A year or a time may be written with and without a mark in the middle.
        text = re.sub(r"(?<!\d)(\d\d)(\d\d)(?!\d)", r"\1 \2", text)
        text = re.sub(r"\d+", lambda found: f" {_in_words(int(found[0]))} ", text)
        for british, american in _SPELLINGS:
            text = text.replace(british, american)
        return re.findall(r"[^\W_]", text)
    import pypinyin as library

    pinyin: Any = library
    return [str(one) for one in pinyin.lazy_pinyin(re.sub(r"[^\w]|_", "", text))]


def _in_words(number: int) -> str:
    """Return an English number below a million in words."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        return f"{_TENS[number // 10]} {_in_words(number % 10) if number % 10 else ''}"
    unit, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    rest = _in_words(number % unit) if number % unit else ""
    return f"{_in_words(number // unit)} {name} {rest}"
