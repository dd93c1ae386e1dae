"""How often the wake word is found, and how often it is found in other speech (`./run bench voice
--wake-word [--speech FILE]`). FILE is speech without the wake words, an hour of it or more. Without
it, an hour is made of the documentation, by all voices of Kokoro: that takes an hour as well.

The words are spoken by Kokoro (the extra `local-voice`). A name is recorded three times by one
voice, and then spoken by the same voice in sentences, at other speeds. English words are spoken by
all voices of Kokoro that were made of English. Each is also spoken in noise that is 10 dB quieter
than the speech, and in noise as loud as it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy

from neodeskpet.app.listening import make_detector
from neodeskpet.core.markdown.plain_sentences import plain_text
from neodeskpet.core.voice.heard_text import split_sentences
from neodeskpet.core.voice.ports import FRAME_BYTES, LISTEN_RATE
from neodeskpet.core.voice.pronunciation import pronounceable
from neodeskpet.core.voice.resampler import Resampler
from neodeskpet.core.voice.speech import SPEECH_RATE, speakable, spoken_language
from neodeskpet.platform.installation import add_extras_to_path
from neodeskpet.voice.sound_files import read_sound_file
from neodeskpet.voice.synthesizers.kokoro import (
    DEFAULT_KOKORO_VOICES,
    KOKORO_VOICES,
    KokoroEngine,
    KokoroSynthesizer,
)
from neodeskpet.voice.wake_word import (
    RECORDED,
    WakeWordJudge,
    WakeWordNotHeard,
    example_of,
    load_features,
    load_wake_word,
    save_examples,
)

_NAMES = ("Hey Neo", "Mimi", "小雪", "Computer")
_SENTENCES = ("{}.", "{}, what is the weather like?", "{}, please stop.", "Well, {}, come here!")
_CHINESE_SENTENCES = ("{}。", "{}，今天天气怎么样？", "{}，别说了。", "喂，{}，过来一下！")
_RECORDED_SPEEDS, _SPOKEN_SPEEDS = (0.95, 1.0, 1.05), (0.9, 1.1)
_BUILT_IN = {
    "okay_nabu": "Okay Nabu",
    "hey_jarvis": "Hey Jarvis",
    "hey_mycroft": "Hey Mycroft",
    "alexa": "Alexa",
}
_ENGLISH = ("a", "b")
"""The first letters of Kokoro's English voices."""
_DOCS = Path(__file__).resolve().parents[2] / "docs"
_NOISES: dict[str, float | None] = {"": None, " at 10 dB": 10.0, " at 0 dB": 0.0}
"""How much louder the speech is than the noise."""
_SILENCE = bytes(LISTEN_RATE * 2)
_SECOND = LISTEN_RATE * 2


async def measure(speech: Path | None) -> dict[str, float]:
    add_extras_to_path()
    engine = KokoroEngine()
    try:
        other = read_sound_file(speech) if speech else await _hour_of_speech(engine)
        hours = len(other) / _SECOND / 3600
        figures: dict[str, float] = {"hours of other speech": round(hours, 2)}
        with tempfile.TemporaryDirectory() as folder:
            for name in _NAMES:
                figures |= await _recorded(engine, name, other, Path(folder) / "wake_word.json")
        for word, name in _BUILT_IN.items():
            said = [
                await _say(engine, sentence.format(name), voice, speed)
                for voice in KOKORO_VOICES
                if voice.startswith(_ENGLISH)
                for sentence in _SENTENCES
                for speed in _SPOKEN_SPEEDS
            ]
            for noise, decibels in _NOISES.items():
                found = sum(bool(_times(word, Path(), _noisy(one, decibels))) for one in said)
                figures[f"“{name}” found{noise}, of {len(said)}"] = found
            print(f"  “{name}” is measured", flush=True)
            figures[f"“{name}” found in other speech"] = len(_times(word, Path(), other))
    finally:
        await engine.aclose()
    return figures


async def _recorded(engine: KokoroEngine, name: str, other: bytes, path: Path) -> dict[str, float]:
    found = dict.fromkeys(_NOISES, 0)
    spoken = false = 0
    for voice in DEFAULT_KOKORO_VOICES.values():
        examples = []
        for speed in _RECORDED_SPEEDS:
            sound = await _say(engine, f"{name}.", voice, speed)
            examples.append(_example(sound))
        save_examples(path, examples)
        for sentence in _SENTENCES if name.isascii() else _CHINESE_SENTENCES:
            for speed in _SPOKEN_SPEEDS:
                spoken += 1
                sound = await _say(engine, sentence.format(name), voice, speed)
                for noise, decibels in _NOISES.items():
                    found[noise] += bool(_times(RECORDED, path, _noisy(sound, decibels)))
        false += len(_times(RECORDED, path, other))
    print(f"  “{name}” is measured", flush=True)
    return {
        **{f"recorded “{name}” found{noise}, of {spoken}": found[noise] for noise in found},
        f"recorded “{name}” found in other speech (twice)": false,
    }


async def _hour_of_speech(engine: KokoroEngine) -> bytes:
    """Return an hour of the documentation, each sentence by the next voice, at three speeds."""
    spoken = bytearray()
    turn = 0
    for page in sorted(_DOCS.rglob("*.md")):
        for sentence in split_sentences(speakable(plain_text(page.read_text("utf-8")))):
            voice, speed = KOKORO_VOICES[turn % len(KOKORO_VOICES)], (0.9, 1.0, 1.15)[turn % 3]
            turn += 1
            language = spoken_language(sentence)
            synthesizer = KokoroSynthesizer(engine, voice, speed)
            sound = Resampler(SPEECH_RATE, LISTEN_RATE)
            async for piece in synthesizer.synthesize(pronounceable(sentence, language), language):
                spoken += sound.convert(piece)
            if len(spoken) >= 3600 * _SECOND:
                return bytes(spoken)
    return bytes(spoken)


async def _say(engine: KokoroEngine, text: str, voice: str, speed: float) -> bytes:
    pcm = await engine.speak(text, voice, speed)
    return _SILENCE + Resampler(SPEECH_RATE, LISTEN_RATE).convert(pcm) + _SILENCE


def _noisy(sound: bytes, decibels: float | None) -> bytes:
    """Add white noise: the speech is louder by `decibels`. Silence doesn't count."""
    if decibels is None:
        return sound
    samples: Any = numpy.frombuffer(sound, numpy.int16).astype(float)
    frames = samples[: len(samples) // 160 * 160].reshape(-1, 160)
    powers = numpy.sort((frames * frames).mean(axis=1))
    speech = powers[powers > powers.max() / 100].mean()
    noise = numpy.random.default_rng(1).normal(0, 1, len(samples))
    noisy = samples + noise * (speech / 10 ** (decibels / 10)) ** 0.5
    return bytes(noisy.clip(-32768, 32767).astype(numpy.int16).tobytes())


def _frames(sound: bytes) -> Iterable[bytes]:
    for start in range(0, len(sound) - FRAME_BYTES + 1, FRAME_BYTES):
        yield sound[start : start + FRAME_BYTES]


def _example(sound: bytes) -> list[list[float]]:
    detector, _ = make_detector()
    frames: list[bytes] = []
    speech: list[int] = []
    for frame in _frames(sound):
        clean, judged = detector.process(frame)
        if any(judged):
            speech.append(len(frames))
        frames.append(clean)
    try:
        return example_of(frames, speech, load_features())
    except WakeWordNotHeard:
        raise RuntimeError("the recorded name was not heard") from None


def _times(word: str, recorded: Path, sound: bytes) -> list[float]:
    """Return the seconds at which the wake word is found in the sound."""
    detector: Any = _NoDetection()
    judge = WakeWordJudge(detector, *load_wake_word(word, recorded))
    found = []
    for number, frame in enumerate(_frames(sound)):
        judge.process(frame)
        if judge.take_woken():
            found.append(number / 100)
    return found


class _NoDetection:
    """Echo cancellation and speech detection don't matter for the wake word."""

    def process(self, frame: bytes, at: float | None = None) -> tuple[bytes, list[bool]]:
        return frame, []

    def reference(self, pcm: bytes, at: float | None = None) -> None:
        """Nothing is played."""
