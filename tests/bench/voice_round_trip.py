"""Speaks sentences with Kokoro, recognizes them with Whisper, and compares (`./run bench voice
--local`). It needs the extra `local-voice`.
"""

from __future__ import annotations

import re
import statistics
import time
import unicodedata
from contextlib import aclosing
from difflib import SequenceMatcher
from typing import Any

from neodeskpet.core.voice.ports import LISTEN_RATE
from neodeskpet.core.voice.pronunciation import pronounceable
from neodeskpet.core.voice.resampler import Resampler
from neodeskpet.core.voice.speech import SPEECH_RATE, speakable
from neodeskpet.platform.installation import add_extras_to_path
from neodeskpet.voice.recognizers.whisper import WhisperRecognizer
from neodeskpet.voice.synthesizers.kokoro import KokoroEngine, KokoroSynthesizer

_EN_SUBJECTS = ("My sister", "The old teacher", "Our neighbour", "The small dog", "Your friend")
_EN_ACTIONS = (
    "likes to read books in the garden.",
    "went to the market this morning.",
    "will call you again tomorrow, after lunch.",
    "bought 12 apples for $5.",
    "arrived on 2026-11-28 😀 and stayed for 3-4 days.",
    "said that it is 21 °C outside.",
    "opened the window because the room was warm.",
    "has lived here for many years.",
)
_ZH_SUBJECTS = ("我的妹妹", "那位老师", "我们的邻居", "你的朋友", "小王")
_ZH_ACTIONS = (
    "喜欢在花园里看书。",
    "今天早上去了市场。",
    "明天午饭以后会再给你打电话。",
    "花了25元买了3斤苹果。",
    "2026年11月28日到了北京。",
    "说外面的气温是21°C。",
    "因为房间很热，所以打开了窗户。",
    "在这里住了很多年。",
)
_MIXED = (
    "用 Python 写了一个程序。",
    "在 GitHub 上看到了 3 个问题。",
    "喜欢用 Linux 系统。",
    "说 OK，没问题。",
)
SENTENCES: dict[str, list[str]] = {
    "en": [f"{who} {does}" for does in _EN_ACTIONS for who in _EN_SUBJECTS],
    "zh": [f"{who}{does}" for does in _ZH_ACTIONS for who in _ZH_SUBJECTS],
    "mixed": [f"{who}{does}" for does in _MIXED for who in _ZH_SUBJECTS],
}
"""100 sentences: 40 English, 40 Chinese, 20 mixed."""


async def measure(count: int) -> dict[str, float]:
    """Speak and recognize `count` sentences of each kind, evenly chosen. Prints each difference."""
    add_extras_to_path()
    engine, recognizer = KokoroEngine(), WhisperRecognizer()
    figures: dict[str, float] = {}
    firsts: list[float] = []
    spoken_seconds = synthesis = recognition = 0.0
    try:
        await engine.speak("Hello there.", "", 1.0)  # loads the model
        for kind, sentences in SENTENCES.items():
            shares = []
            for sentence in sentences[:: max(1, len(sentences) // count)][:count]:
                language = "en" if kind == "en" else "zh"
                words = pronounceable(speakable(sentence), language)
                began = time.perf_counter()
                pieces: list[bytes] = []
                async with aclosing(KokoroSynthesizer(engine).synthesize(words, language)) as made:
                    async for piece in made:
                        if not pieces:
                            firsts.append(time.perf_counter() - began)
                        pieces.append(piece)
                synthesis += time.perf_counter() - began
                pcm = b"".join(pieces)
                spoken_seconds += len(pcm) / 2 / SPEECH_RATE
                began = time.perf_counter()
                sound = Resampler(SPEECH_RATE, LISTEN_RATE).convert(pcm)
                heard = [one async for one in recognizer.recognize(sound, language)][-1].text
                recognition += time.perf_counter() - began
                share = agreement(words, pronounceable(heard, language), kind)
                shares.append(share)
                if share < 1.0:
                    print(f"  {share:4.0%}  {sentence} | {heard}", flush=True)
            figures[f"{kind}: percent that came back"] = round(100 * statistics.mean(shares), 1)
    finally:
        await engine.aclose()
        await recognizer.aclose()
    figures["first sound of Kokoro, median ms"] = round(1000 * statistics.median(firsts))
    figures["real-time factor of Kokoro"] = round(synthesis / spoken_seconds, 2)
    figures["real-time factor of Whisper"] = round(recognition / spoken_seconds, 2)
    return figures


def agreement(said: str, heard: str, kind: str) -> float:
    """Return the share of `said` that `heard` has, in order."""
    wanted, found = _units(said, kind), _units(heard, kind)
    same = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    return sum(block.size for block in same) / max(1, len(wanted), len(found))


def _units(text: str, kind: str) -> list[str]:
    text = re.sub(r"[^\w]", "", unicodedata.normalize("NFKC", text).casefold())
    if kind == "en":
        return list(_without_digits(text))
    import pypinyin as library

    pinyin: Any = library
    return [str(one) for one in pinyin.lazy_pinyin(text)]


def _without_digits(text: str) -> str:
    """Return an English text with the numbers up to 31 as words."""
    small = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    tens = {
        12: "twelve",
        21: "twentyone",
        25: "twentyfive",
        28: "twentyeight",
        2026: "twentytwentysix",
    }
    words = dict(enumerate(small)) | tens
    return re.sub(r"\d+?(?=2026|$|\D)|\d+", lambda found: words.get(int(found[0]), found[0]), text)
