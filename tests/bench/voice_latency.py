"""How soon the companion is heard, and how exactly its mouth follows (`./run bench voice --latency
[--local]`). The speaker is a PulseAudio null sink, the microphone its monitor.

With `--local` Kokoro speaks and Whisper recognizes (the extra `local-voice`); otherwise tones are
spoken, and the end of a person's speech is not measured.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from array import array
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import numpy

from neodeskpet.app.listening import CompanionListening
from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.app.voice_services import VoiceServices
from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.listening import Phase
from neodeskpet.core.voice.ports import FRAME_MS, LISTEN_RATE, Played
from neodeskpet.core.voice.speech import SPEECH_RATE, Synthesizer
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.installation import add_extras_to_path
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.store import SettingsStore
from neodeskpet.voice.chirp import ChirpSynthesizer
from neodeskpet.voice.local_voice import LOCAL_ADDRESS
from neodeskpet.voice.sound_devices import Microphone, Speaker
from neodeskpet.voice.speech_player import SpeechPlayer
from neodeskpet.voice.synthesizers.kokoro import KokoroEngine, KokoroSynthesizer
from tests.support.barge_in import people
from tests.support.pulseaudio import MONITOR, SINK

_SENTENCES = (
    "The weather is nice today.",
    "My sister likes to read books in the garden.",
    "We could take a walk, or we could stay at home.",
    "Did you sleep well?",
    "The small dog opened the door.",
)
_ANSWER = "I see, that is a good question."
_LOUD = 300
_ANSWER_SECONDS = 15.0
_START_SECONDS = 60.0
_LIP_SECONDS = 0.005
"""The step in which mouth and sound are compared."""
_MOST_LIP_STEPS = 60


class Heard:
    """Notes when a speaker plays the first and the last loud sample, and how long it had none."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._idle_ms = 0
        self.is_idle: Callable[[], bool] = lambda: True
        self.first_at: float | None = None
        self.last_at = 0.0
        self.gaps_ms: list[int] = []
        """The times without sound between two parts of a reply."""

    def note(self, pcm: bytes, now: float) -> None:
        """In the speaker's thread: `pcm` was taken at the time `now`."""
        loud = numpy.flatnonzero(numpy.abs(numpy.frombuffer(pcm, numpy.int16)) > _LOUD)
        if len(loud):
            if self.first_at is None:
                self.first_at = now + int(loud[0]) / self._rate
            elif self._idle_ms:
                self.gaps_ms.append(self._idle_ms)
            self._idle_ms = 0
            self.last_at = now + int(loud[-1]) / self._rate
        elif self.first_at is not None and self.is_idle():
            self._idle_ms += len(pcm) * 500 // self._rate

    def restart(self) -> None:
        self.first_at, self.last_at, self._idle_ms = None, 0.0, 0
        self.gaps_ms = []


async def measure(count: int, *, local: bool) -> dict[str, float]:
    """The engines are loaded first: without the extra the measurement ends at once."""
    if not local:
        return await _tones(count)
    add_extras_to_path()
    engine = KokoroEngine()
    try:
        await engine.warm_up()
        figures = await _tones(count)
        figures |= await _speaking("Kokoro", KokoroSynthesizer(engine), count)
    finally:
        await engine.aclose()
    return figures | await _answers(count)


async def _tones(count: int) -> dict[str, float]:
    figures = await _speaking("tones", ChirpSynthesizer(), count)
    return figures | await _lips(ChirpSynthesizer())


def show_progress(what: str, done: int, count: int, every: int = 10) -> None:
    """Print how far a long measurement is."""
    if done % every == 0 or done == count:
        print(f"  {done} of {count} {what}", flush=True)


async def _speaking(name: str, synthesizer: Synthesizer, count: int) -> dict[str, float]:
    """From a complete sentence to its first sample, with an open device; then all sentences in one
    reply: the times without sound between them.
    """
    heard = Heard(SPEECH_RATE)
    speaker = Speaker(SINK, SPEECH_RATE, on_played=heard.note)
    heard.is_idle = lambda: speaker.is_idle
    finished = asyncio.Event()
    failures: list[KnownError] = []
    player = SpeechPlayer(
        speaker, lambda: synthesizer, on_finished=finished.set, on_failed=failures.append
    )
    firsts: list[float] = []
    gaps_inside = 0
    for number in range(count + 1):
        heard.restart()
        finished.clear()
        began = time.monotonic()
        player.speak(_SENTENCES[number % len(_SENTENCES)])
        await finished.wait()
        if heard.first_at is not None and number:
            firsts.append(1000 * (heard.first_at - began))
            gaps_inside += len(heard.gaps_ms)
            show_progress(f"sentences, {name}", number, count)
    heard.restart()
    finished.clear()
    for sentence in _SENTENCES:
        player.speak(sentence)
    await finished.wait()
    await player.aclose()
    speaker.close()
    if failures:
        raise failures[0]
    return {
        f"ms from a sentence to its first sample, {name}, median": share_of(firsts, 0.5),
        f"ms from a sentence to its first sample, {name}, 95 %": share_of(firsts, 0.95),
        f"gaps inside a sentence, {name}": gaps_inside,
        f"gaps between {len(_SENTENCES)} sentences, {name}": len(heard.gaps_ms),
        f"ms of the longest gap, {name}": max(heard.gaps_ms, default=0),
    }


async def _lips(synthesizer: Synthesizer) -> dict[str, float]:
    """How much later the sound is in the sink's monitor than the mouth moves, as the figure reads
    it 60 times a second.
    """
    speaker = Speaker(SINK, SPEECH_RATE)
    finished = asyncio.Event()
    player = SpeechPlayer(
        speaker, lambda: synthesizer, on_finished=finished.set, on_failed=lambda error: None
    )
    sound: list[tuple[float, float]] = []
    mouth: list[tuple[float, float]] = []

    def take(frame: bytes, at: float) -> None:
        samples = array("h", frame)
        loudness = (sum(one * one for one in samples) / len(samples)) ** 0.5
        sound.append((at - FRAME_MS / 2000, float(loudness)))

    async def watch() -> None:
        while not finished.is_set():
            level = player.mouth_level
            mouth.append((time.monotonic(), level or 0.0))
            await asyncio.sleep(1 / 60)

    async with aclosing(Microphone(MONITOR).hear(take)) as frames:
        await anext(frames)
        for sentence in _SENTENCES:
            player.speak(sentence)
        watching = spawn_task(watch(), name="mouth")
        while not finished.is_set():
            await anext(frames)
        await watching
    await player.aclose()
    speaker.close()
    return {"ms by which the sound is later than the mouth": _later(mouth, sound)}


def _later(mouth: list[tuple[float, float]], sound: list[tuple[float, float]]) -> float:
    """Return the shift in milliseconds by which both curves fit best."""
    start, end = mouth[0][0], mouth[-1][0]
    grid: Any = numpy.arange(start, end, _LIP_SECONDS)
    curves = [
        numpy.interp(grid, [moment for moment, _ in curve], [value for _, value in curve])
        for curve in (mouth, sound)
    ]
    first, second = (curve - curve.mean() for curve in curves)
    steps = range(-_MOST_LIP_STEPS, _MOST_LIP_STEPS + 1)
    fits = [float((first * numpy.roll(second, -step)).sum()) for step in steps]
    return round(1000 * _LIP_SECONDS * steps[fits.index(max(fits))], 1)


class ListeningProbe:
    """An `app.listening.ListeningView` that passes the user's words to `answer`."""

    def __init__(self, answer: Callable[[str], None]) -> None:
        self._answer = answer
        self.errors: list[KnownError] = []

    def show_phase(self, phase: Phase) -> None:
        """Nothing is shown."""

    def show_microphone(self, is_open: bool) -> None:
        """Nothing is shown."""

    def show_text(self, text: str, is_final: bool) -> None:
        if is_final:
            self._answer(text)

    def mark_interrupted(self) -> None:
        """The next answer is a new one."""

    def show_nothing_heard(self) -> None:
        """The round is counted as missed."""

    def show_error(self, error: KnownError) -> None:
        self.errors.append(error)


async def _answers(count: int) -> dict[str, float]:
    """A person speaks beside the microphone; Whisper recognizes the words, and the answer (known at
    once, instead of a model's) is spoken with tones. Measured from the user's last loud sample to
    the answer's first one. The silence that ends an utterance is included.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = SettingsStore(Path(folder) / "settings.json")
        for name, value in {
            "speak": "chirp",
            "listen": "hands_free",
            "listen_address": LOCAL_ADDRESS,
            "listen_language": "en",
        }.items():
            settings.change("voice", name, value)
        client = HttpClient()
        services = VoiceServices(settings, Secrets(Path(folder) / "secrets.json"), client)
        answer, person = Heard(SPEECH_RATE), Heard(LISTEN_RATE)

        def open_speaker(_device: str, on_played: Played) -> Speaker:
            def note(pcm: bytes, at: float) -> None:
                answer.note(pcm, at)
                on_played(pcm, at)

            return Speaker(SINK, on_played=note)

        speech = CompanionSpeech(services, on_failed=lambda error: None, make_output=open_speaker)

        def reply(_words: str) -> None:
            speech.begin_reply()
            speech.speak(_ANSWER, is_reply=True)

        view = ListeningProbe(reply)
        listening = CompanionListening(
            services, speech, view, make_microphone=lambda _device: Microphone(MONITOR)
        )
        other = Speaker(SINK, LISTEN_RATE, on_played=person.note)
        try:
            listening.start()
            await _first_round(listening)
            times = [one async for one in _rounds(other, person, answer, speech, count)]
        finally:
            await listening.aclose()
            await speech.aclose()
            await client.aclose()
            other.close()
    if view.errors:
        raise view.errors[0]
    known = [one for one in times if one is not None]
    return {
        "answers to a person's speech": len(known),
        "ms from the end of a person's speech to the answer, median": share_of(known, 0.5),
        "ms from the end of a person's speech to the answer, 95 %": share_of(known, 0.95),
    }


async def _first_round(listening: CompanionListening) -> None:
    """Wait until the microphone is open."""
    await wait_until(lambda: listening.phase is not Phase.CLOSED, _START_SECONDS)


async def wait_until(true: Callable[[], bool], seconds: float) -> None:
    """Wait until it is true, or the time is over."""
    deadline = time.monotonic() + seconds
    # The devices' threads change it, so there is no event.
    while not true() and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def _rounds(
    other: Speaker, person: Heard, answer: Heard, speech: CompanionSpeech, count: int
) -> AsyncGenerator[float | None, None]:
    """The first round, in which the recognizer is loaded, isn't counted."""
    for number in range(count + 1):
        person.restart()
        answer.restart()
        other.play(0, people()[number % len(people())])
        seconds = _ANSWER_SECONDS if number else _START_SECONDS
        await wait_until(lambda: answer.first_at is not None, seconds)
        if number:
            first = answer.first_at
            yield None if first is None else 1000 * (first - person.last_at)
            show_progress("answers", number, count)
        await wait_until(lambda: not speech.is_speaking, _ANSWER_SECONDS)
        await asyncio.sleep(1.0)


def share_of(values: list[float], share: float) -> float:
    """Return the value below which `share` of the values are; -1 without values."""
    if not values:
        return -1
    return round(sorted(values)[min(len(values) - 1, int(len(values) * share))])
