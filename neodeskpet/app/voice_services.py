"""The synthesizer and the recognizer that the settings choose. A further kind is one case here."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from neodeskpet.characters.cards.character_card import USUAL_VOICE, CharacterVoice
from neodeskpet.core.costs import RequestCost
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.text_language import CHINESE
from neodeskpet.core.voice.voice_prices import CURRENCY, hearing_cost, speech_cost
from neodeskpet.language import language, set_language
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets, key_name, plain_host_check
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore

if TYPE_CHECKING:
    from neodeskpet.core.voice.ports import Recognizer, Transcript
    from neodeskpet.core.voice.speech import Synthesizer
    from neodeskpet.voice.recognizers.whisper import WhisperRecognizer
    from neodeskpet.voice.synthesizers.kokoro import KokoroEngine

_SLOWEST, _FASTEST = 0.25, 4.0
"""The speeds that OpenAI's protocol allows."""
_SPEECH_SECONDS = 15.0
"""Seconds without sound data after which the speech service has failed: the bubble waits for it to
turn the page.
"""


class NoVoiceService(KnownError):
    code = "no_voice_service"
    what = N_("No voice service is set.")
    hint = N_("Enter its address under Settings › Voice & sounds.")


class LocalEngines:
    """The engines on this computer: each is made when it is first needed, and shared."""

    def __init__(self, kokoro: KokoroEngine | None = None) -> None:
        self._kokoro = kokoro
        self._whisper: WhisperRecognizer | None = None

    def kokoro(self) -> KokoroEngine:
        from neodeskpet.voice.synthesizers.kokoro import KokoroEngine

        self._kokoro = self._kokoro or KokoroEngine()
        return self._kokoro

    def whisper(self) -> WhisperRecognizer:
        from neodeskpet.voice.recognizers.whisper import WhisperRecognizer

        self._whisper = self._whisper or WhisperRecognizer()
        return self._whisper

    async def aclose(self) -> None:
        """End their processes; they start again with the next use. Idempotent."""
        kokoro, self._kokoro = self._kokoro, None
        whisper, self._whisper = self._whisper, None
        for engine in (kokoro, whisper):
            if engine is not None:
                await engine.aclose()


@dataclass(frozen=True, slots=True)
class VoiceServices:
    settings: SettingsStore
    secrets: Secrets
    client: HttpClient
    local: LocalEngines = field(default_factory=LocalEngines)
    count: Callable[[RequestCost], object] = lambda spent: None
    """Notes a request to a service in the costs."""

    def synthesizer(self, style: CharacterVoice = USUAL_VOICE) -> Synthesizer | None:
        """Return the current synthesizer; None while speaking is off. Raises NoVoiceService."""
        from neodeskpet.voice.chirp import ChirpSynthesizer

        chosen = self.settings.settings.voice
        match chosen.speak:
            case "chirp":
                return ChirpSynthesizer(chosen.pitch * style.pitch)
            case "local":
                return self.local_synthesizer(style)
            case "service":
                return self.service_synthesizer(style=style)
            case _:
                return None

    def reading_synthesizer(self, style: CharacterVoice = USUAL_VOICE) -> Synthesizer:
        """Return the synthesizer for a text that the user wants to hear while speaking is off: the
        offline voice if it is installed, else the service. Raises NoVoiceService.
        """
        from neodeskpet.voice.local_voice import KOKORO, is_installed

        if is_installed(KOKORO):
            return self.local_synthesizer(style)
        return self.service_synthesizer(style=style)

    @property
    def wake_word_file(self) -> Path:
        """The file of the name that the user has recorded."""
        from neodeskpet.voice.wake_word import FILE_NAME

        return self.settings.path.parent / FILE_NAME

    async def warm_up(self) -> None:
        """Load the offline voice if the settings choose it."""
        if self.settings.settings.voice.speak == "local":
            await self.local.kokoro().warm_up()

    def service_synthesizer(
        self, address: str = "", *, model: str = "", style: CharacterVoice = USUAL_VOICE
    ) -> Synthesizer:
        """Return a synthesizer of the service at `address`; other values default to the settings.
        Raises NoVoiceService.
        """
        from neodeskpet.llm.http_synthesizer import (
            DEFAULT_VOICE,
            HttpSynthesizer,
            SpeechService,
            speech_protocol,
        )
        from neodeskpet.voice.pitched import PitchedSynthesizer
        from neodeskpet.voice.synthesizers.wyoming import WyomingSynthesizer
        from neodeskpet.voice.wyoming_connection import SCHEME

        chosen = self.settings.settings.voice
        pitch, speed = chosen.pitch * style.pitch, chosen.speed * style.speed
        address = address or chosen.address or self.settings.settings.service.base_url
        if not address:
            raise NoVoiceService
        voice = style.name or chosen.voice
        if address.startswith(f"{SCHEME}://"):
            own = "" if voice == DEFAULT_VOICE else voice  # the default is OpenAI's
            return WyomingSynthesizer(address, own, timeout=_SPEECH_SECONDS)
        # The sound is played faster by the pitch, so it is spoken more slowly.
        spoken = min(_FASTEST, max(_SLOWEST, speed / pitch))
        service = SpeechService(
            address, model or chosen.model, voice, round(spoken, 3), speech_protocol(address)
        )
        made = HttpSynthesizer(
            self.client, service, key=self._key(address), timeout=_SPEECH_SECONDS
        )
        counted = CountedSynthesizer(made, self.count, address, service.model)
        return counted if pitch == 1.0 else PitchedSynthesizer(counted, pitch)

    def local_synthesizer(self, style: CharacterVoice = USUAL_VOICE) -> Synthesizer:
        """Return Kokoro on this computer."""
        from neodeskpet.voice.synthesizers.kokoro import (
            DEFAULT_KOKORO_VOICES,
            KOKORO_VOICES,
            KokoroSynthesizer,
        )
        from neodeskpet.voice.synthesizers.kokoro_voice_names import find_kokoro_voice

        chosen = self.settings.settings.voice
        name = find_kokoro_voice(style.name or chosen.voice)
        if name not in KOKORO_VOICES and language() == CHINESE:
            # Otherwise an English sentence in a Chinese reply has the voice of someone else.
            name = DEFAULT_KOKORO_VOICES["zh"]
        return KokoroSynthesizer(
            self.local.kokoro(),
            name,
            chosen.speed * style.speed,
            chosen.pitch * style.pitch,
        )

    def recognizer(self, address: str = "", model: str = "") -> Recognizer:
        """Return the recognizer at `address`, "" for that of the settings. LOCAL_ADDRESS means
        Whisper on this computer. Raises NoVoiceService.
        """
        from neodeskpet.llm.http_transcriber import HttpTranscriber, TranscriptionService
        from neodeskpet.voice.local_voice import LOCAL_ADDRESS
        from neodeskpet.voice.recognizers.wyoming import WyomingRecognizer
        from neodeskpet.voice.wyoming_connection import SCHEME

        chosen = self.settings.settings
        address = address or chosen.voice.listen_address or chosen.service.base_url
        if not address:
            raise NoVoiceService
        if address == LOCAL_ADDRESS:
            return self.local.whisper()
        if address.startswith(f"{SCHEME}://"):
            return WyomingRecognizer(address)
        service = TranscriptionService(address, model or chosen.voice.listen_model)
        made = HttpTranscriber(self.client, service, key=self._key(address))
        return CountedRecognizer(made, self.count, address, service.model)

    def _key(self, address: str) -> Callable[[], Awaitable[str]]:
        return partial(self.secrets.get_async, key_name(address))


@dataclass(frozen=True, slots=True)
class CountedSynthesizer:
    """A `core.voice.speech.Synthesizer` whose requests are counted, with their price if it is
    known. A request that was cut off or failed counts too.
    """

    inner: Synthesizer
    count: Callable[[RequestCost], object]
    address: str
    model: str

    @property
    def rate(self) -> int:
        return self.inner.rate

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        size = 0
        try:
            async with aclosing(self.inner.synthesize(text, language)) as pieces:
                async for piece in pieces:
                    size += len(piece)
                    yield piece
        finally:
            seconds = size / (2 * self.rate)
            cost = speech_cost(self.address, self.model, len(text), seconds)
            self.count(_request_cost(self.model, "speech", cost))


@dataclass(frozen=True, slots=True)
class CountedRecognizer:
    """A `core.voice.ports.Recognizer` whose requests are counted, with their price if it is
    known.
    """

    inner: Recognizer
    count: Callable[[RequestCost], object]
    address: str
    model: str

    async def recognize(self, pcm: bytes, language: str = "") -> AsyncGenerator[Transcript, None]:
        cost = hearing_cost(self.address, self.model, len(pcm))
        self.count(_request_cost(self.model, "hearing", cost))
        async with aclosing(self.inner.recognize(pcm, language)) as texts:
            async for text in texts:
                yield text


def _request_cost(model: str, purpose: str, cost: float | None) -> RequestCost:
    return RequestCost(model, purpose, cost=cost, currency="" if cost is None else CURRENCY)


@asynccontextmanager
async def open_voice_services(home: Path) -> AsyncGenerator[VoiceServices, None]:
    """Open the voice services for a command: the settings of the data folder `home`, their
    language, and a connection. Raises VoiceError.
    """
    settings = SettingsStore(home / SETTINGS_FILE)
    set_language(settings.settings.appearance.language)
    client = HttpClient(plain_to=plain_host_check(settings))
    services = VoiceServices(settings, Secrets(home / SECRETS_FILE), client)
    try:
        yield services
    except NoVoiceService:
        from neodeskpet.core.voice.ports import NoSpeechService

        raise NoSpeechService from None
    finally:
        await services.local.aclose()
        await client.aclose()
