"""Speaks through a service: OpenAI's `POST /v1/audio/speech`, GPT-SoVITS' `/tts`, and Piper's
`/synthesize` (`piper.http_server`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from neodeskpet.core.errors import BadReply
from neodeskpet.core.voice.resampler import MonoConverter
from neodeskpet.core.voice.speech import SPEECH_RATE
from neodeskpet.core.voice.wav_stream import WavStream
from neodeskpet.llm.http_client import STALL_SECONDS, HttpClient
from neodeskpet.llm.protocols.protocol import HttpRequest

SpeechProtocol = Literal["openai", "gpt_sovits", "piper"]
DEFAULT_MODEL = "tts-1"
DEFAULT_VOICE = "alloy"
_SOVITS_RATE = 32_000
_SOVITS_PATH, _PIPER_PATH = "/tts", "/synthesize"
_MAGIC = (b"{", b"<", b"ID3", b"OggS", b"fLaC")
"""How a body begins that is neither raw PCM nor WAV: an error, a page, or a file of another format.
"""
_WAV = b"RIFF"
_OPENAI = "https://api.openai.com/"
"""Raw PCM of OpenAI has SPEECH_RATE. Other servers send it at the rate of their model, which only
WAV tells.
"""


@dataclass(frozen=True, slots=True)
class SpeechService:
    """`base_url` of OpenAI's protocol ends as that of the chat does, usually in /v1. The voice of
    GPT-SoVITS is the path of its reference sound on the server; Piper's "" is its default.
    """

    base_url: str
    model: str = DEFAULT_MODEL
    voice: str = DEFAULT_VOICE
    speed: float = 1.0
    protocol: SpeechProtocol = "openai"


def speech_protocol(address: str) -> SpeechProtocol:
    """Return the protocol of a service, by the end of its address."""
    path = address.rstrip("/")
    if path.endswith(_SOVITS_PATH):
        return "gpt_sovits"
    return "piper" if path.endswith(_PIPER_PATH) else "openai"


class HttpSynthesizer:
    """A `core.voice.speech.Synthesizer`."""

    def __init__(
        self,
        client: HttpClient,
        service: SpeechService,
        *,
        key: Callable[[], Awaitable[str]],
        timeout: float = STALL_SECONDS,
    ) -> None:
        self._client = client
        self._service = service
        self._key = key
        self._timeout = timeout

    @property
    def rate(self) -> int:
        return _SOVITS_RATE if self._service.protocol == "gpt_sovits" else SPEECH_RATE

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        """Raises LlmError."""
        key = (await self._key()).strip()
        request = speech_request(self._service, text, language, key)
        sound: MonoConverter | WavStream | None = None
        chunks = self._client.stream_bytes(request, key=key, stall=self._timeout)
        async with aclosing(chunks):
            async for chunk in chunks:
                sound = sound or self._reader_of(chunk)
                try:
                    pcm = sound.convert(chunk)
                except ValueError as error:
                    raise BadReply(str(error)) from None
                if pcm:
                    yield pcm
        if sound is None:
            raise BadReply

    def _reader_of(self, first: bytes) -> MonoConverter | WavStream:
        """Return the reader of a body that begins with `first`: some servers send a WAV file
        instead of raw PCM. Raises BadReply.
        """
        if first.lstrip().startswith(_MAGIC):
            raise BadReply(first[:500].decode("utf-8", "replace"))
        if first.startswith(_WAV):
            return WavStream(self.rate)
        return MonoConverter(self.rate, 1, self.rate)


def speech_request(service: SpeechService, text: str, language: str, key: str) -> HttpRequest:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    base = service.base_url.rstrip("/")
    if service.protocol == "gpt_sovits":
        body: dict[str, object] = {
            "text": text,
            "text_lang": language or "auto",
            "ref_audio_path": service.voice,
            "prompt_lang": language or "zh",
            "speed_factor": service.speed,
            "media_type": "raw",
            "streaming_mode": True,
        }
        url = f"{base.removesuffix(_SOVITS_PATH)}{_SOVITS_PATH}"
        return HttpRequest("POST", url, headers, body)
    if service.protocol == "piper":
        body = {"text": text, "length_scale": 1.0 / service.speed}
        if service.voice and service.voice != DEFAULT_VOICE:
            body["voice"] = service.voice
        url = f"{base.removesuffix(_PIPER_PATH)}{_PIPER_PATH}"
        return HttpRequest("POST", url, headers, body)
    body = {
        "model": service.model or DEFAULT_MODEL,
        "voice": service.voice or DEFAULT_VOICE,
        "input": text,
        "response_format": "pcm" if base.startswith(_OPENAI) else "wav",
    }
    if service.speed != 1.0:
        body["speed"] = service.speed
    return HttpRequest("POST", f"{base}/audio/speech", headers, body)
