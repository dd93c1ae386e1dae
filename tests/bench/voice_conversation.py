"""A conversation by voice alone (`./run bench voice --conversation`): ten turns in English and ten
in Chinese. It needs the extra `local-voice`.

Kokoro is the user's voice, Whisper the recognizer; the app's chat asks a model server on loopback,
which answers with the words that it got. The companion's voice are tones. The loudspeaker is a
PulseAudio null sink, the microphone its monitor. Everything runs hands-free: no key is pressed.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.listening import CompanionListening
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.app.voice_services import VoiceServices
from neodeskpet.core.blocks import Text
from neodeskpet.core.voice.listening import Phase
from neodeskpet.core.voice.ports import LISTEN_RATE, Played
from neodeskpet.core.voice.pronunciation import pronounceable
from neodeskpet.core.voice.resampler import Resampler
from neodeskpet.core.voice.speech import SPEECH_RATE
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.platform.installation import add_extras_to_path
from neodeskpet.voice.local_voice import LOCAL_ADDRESS
from neodeskpet.voice.sound_devices import Microphone, Speaker
from neodeskpet.voice.synthesizers.kokoro import KokoroEngine, KokoroSynthesizer
from tests.bench.voice_latency import Heard, ListeningProbe, share_of, wait_until
from tests.bench.voice_round_trip import agreement
from tests.support.pulseaudio import MONITOR, SINK
from tests.support.replies import end
from tests.support.sseserver import Reply, Request, ScriptedServer, text

QUESTIONS = {
    "en": (
        "Good morning, how are you today?",
        "What is the weather like tomorrow?",
        "Please tell me a short story.",
        "How many days are there in a year?",
        "My sister would like to visit us on Sunday.",
        "Can you repeat the second one?",
        "What should I cook for dinner this evening?",
        "The small dog opened the door again.",
        "I would like to read a book in the garden.",
        "Thank you, that is enough for today.",
    ),
    "zh": (
        "早上好，你今天怎么样？",
        "明天的天气怎么样？",
        "请给我讲一个小故事。",
        "一年有多少天？",
        "我的妹妹星期天想来看我们。",
        "你可以再说一次吗？",
        "今天晚上我应该做什么菜？",
        "小狗又把门打开了。",
        "我想在花园里看书。",
        "谢谢你，今天就到这里吧。",
    ),
}
_USER_VOICE = "jm_kumo"
_ANSWERS = {"en": "You said: {}", "zh": "你说的是：{}"}
_UNDERSTOOD = 0.8
"""Share of the characters or syllables from which a question was understood. Kokoro's voices have
an accent, so some words are recognized as others.
"""
_START_SECONDS, _ANSWER_SECONDS, _PAUSE_SECONDS = 60.0, 20.0, 1.0


@dataclass(frozen=True, slots=True)
class Turn:
    asked: str
    recognized: str
    answered: str
    agreement: float
    ms: float | None
    """From the end of the question to the first sample of the answer; None: it was not heard."""

    @property
    def is_answered(self) -> bool:
        return bool(self.recognized) and bool(self.answered) and self.ms is not None


async def measure(count: int) -> dict[str, float]:
    """Hold both conversations, of at most `count` turns each. Prints each turn."""
    add_extras_to_path()
    spoken = await _questions(count)
    figures: dict[str, float] = {}
    for language, sounds in spoken.items():
        turns = await _conversation(language, sounds)
        known = [turn.ms for turn in turns if turn.ms is not None]
        answered = sum(turn.is_answered for turn in turns)
        understood = sum(turn.is_answered and turn.agreement >= _UNDERSTOOD for turn in turns)
        figures |= {
            f"{language}: turns": len(turns),
            f"{language}: percent of the turns that were answered": _percent(answered, turns),
            f"{language}: percent of the turns that were understood": _percent(understood, turns),
            f"{language}: ms from the end of a question to the answer, median": (
                share_of(known, 0.5)
            ),
            f"{language}: ms from the end of a question to the answer, 95 %": (
                share_of(known, 0.95)
            ),
        }
    return figures


def _percent(count: int, turns: list[Turn]) -> int:
    return round(100 * count / len(turns))


async def _questions(count: int) -> dict[str, list[tuple[str, bytes]]]:
    """Return the questions of each language and their sound at LISTEN_RATE."""
    engine = KokoroEngine()
    voice = KokoroSynthesizer(engine, _USER_VOICE)
    made: dict[str, list[tuple[str, bytes]]] = {}
    try:
        for language, questions in QUESTIONS.items():
            made[language] = []
            for question in questions[:count]:
                words = pronounceable(question, language)
                async with aclosing(voice.synthesize(words, language)) as pieces:
                    pcm = b"".join([piece async for piece in pieces])
                sound = Resampler(SPEECH_RATE, LISTEN_RATE).convert(pcm)
                made[language].append((question, sound))
    finally:
        await engine.aclose()
    return made


def _server(language: str) -> ScriptedServer:
    """A model that answers with the user's words."""

    def answer(request: Request) -> Reply:
        words = str(request.body["messages"][-1]["content"]).strip()
        return Reply((text(_ANSWERS[language].format(words)), *end()))

    server = ScriptedServer()
    server.fallback = answer
    return server


async def _conversation(language: str, questions: list[tuple[str, bytes]]) -> list[Turn]:
    with tempfile.TemporaryDirectory() as folder, _server(language) as server:
        engine = await open_engine(Path(folder), options=RunOptions(server.url, "m"))
        client = HttpClient()
        try:
            for name, value in {
                "speak": "chirp",
                "listen": "hands_free",
                "listen_address": LOCAL_ADDRESS,
                "listen_language": language,
            }.items():
                engine.settings.change("voice", name, value)
            await engine.chat.open_new()
            scene = _Scene(engine, client)
            try:
                return await scene.talk(questions, language)
            finally:
                await scene.aclose()
        finally:
            await client.aclose()
            await engine.aclose()


class _Scene:
    """The chat, the microphone and the loudspeaker of the app, and a user beside them."""

    def __init__(self, engine: Engine, client: HttpClient) -> None:
        self._chat, self._store = engine.chat, engine.storage.store
        services = VoiceServices(engine.settings, engine.storage.secrets, client)
        self._companion, self._user = Heard(SPEECH_RATE), Heard(LISTEN_RATE)
        self._mouth = Speaker(SINK, LISTEN_RATE, on_played=self._user.note)
        self._speech = CompanionSpeech(
            services, on_failed=lambda error: None, make_output=self._open_speaker
        )
        self._recognized: list[str] = []
        self._answered: list[str] = []
        self._probe = ListeningProbe(self._hear)
        self._listening = CompanionListening(
            services, self._speech, self._probe, make_microphone=lambda _device: Microphone(MONITOR)
        )
        self._answering: asyncio.Task[None] | None = None

    async def aclose(self) -> None:
        await self._listening.aclose()
        await self._speech.aclose()
        self._mouth.close()

    def _open_speaker(self, _device: str, on_played: Played) -> Speaker:
        def note(pcm: bytes, at: float) -> None:
            self._companion.note(pcm, at)
            on_played(pcm, at)

        return Speaker(SINK, on_played=note)

    def _hear(self, words: str) -> None:
        self._recognized.append(words)
        self._answering = asyncio.get_running_loop().create_task(self._answer(words))

    async def _answer(self, words: str) -> None:
        """Send the words, and speak the reply."""
        self._speech.begin_reply()
        self._chat.send(words)
        await self._chat.wait_idle()
        await self._store.flush()
        info = self._chat.conversation
        assert info is not None
        reply = (await self._store.history(info.id))[-1]
        said = "".join(block.text for block in reply.blocks if isinstance(block, Text))
        self._answered.append(said)
        self._speech.speak(said, is_reply=True)

    async def talk(self, questions: list[tuple[str, bytes]], language: str) -> list[Turn]:
        self._listening.start()
        await wait_until(lambda: self._listening.phase is not Phase.CLOSED, _START_SECONDS)
        turns = [await self._turn(asked, pcm, language) for asked, pcm in questions]
        if self._probe.errors:
            raise self._probe.errors[0]
        return turns

    async def _turn(self, asked: str, pcm: bytes, language: str) -> Turn:
        self._recognized.clear()
        self._answered.clear()
        self._companion.restart()
        self._user.restart()
        self._mouth.play(0, pcm)
        await wait_until(lambda: self._companion.first_at is not None, _ANSWER_SECONDS)
        await wait_until(lambda: not self._speech.is_speaking, _ANSWER_SECONDS)
        if self._answering is not None:
            await self._answering
        await asyncio.sleep(_PAUSE_SECONDS)
        recognized = " | ".join(self._recognized)
        first = self._companion.first_at
        turn = Turn(
            asked,
            recognized,
            " | ".join(self._answered),
            agreement(asked, recognized, language),
            None if first is None else 1000 * (first - self._user.last_at),
        )
        ms = "no answer" if turn.ms is None else f"{turn.ms:.0f} ms"
        print(
            f"  {turn.agreement:4.0%} {ms:>9}  {asked} | {recognized} | {turn.answered}", flush=True
        )
        return turn
