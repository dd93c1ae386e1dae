"""Speaks through a service: OpenAI's `POST /v1/audio/speech`, and GPT-SoVITS' `/tts`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from neodeskpet.core.errors import BadReply
from neodeskpet.core.voice.speech import SPEECH_RATE
from neodeskpet.llm.http_client import STALL_SECONDS, HttpClient
from neodeskpet.llm.protocols.protocol import HttpRequest

SpeechProtocol = Literal["openai", "gpt_sovits"]
DEFAULT_MODEL = "tts-1"
DEFAULT_VOICE = "alloy"
_SOVITS_RATE = 32_000
_MAGIC = (b"{", b"<", b"RIFF", b"ID3", b"OggS", b"fLaC")
"""How a body begins that isn't raw PCM: an error, a page, or a file of another format."""


@dataclass(frozen=True, slots=True)
class SpeechService:
    """`base_url` of OpenAI's protocol ends as that of the chat does, usually in /v1. The voice of
    GPT-SoVITS is the path of its reference sound on the server.
    """

    base_url: str
    model: str = DEFAULT_MODEL
    voice: str = DEFAULT_VOICE
    speed: float = 1.0
    protocol: SpeechProtocol = "openai"


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
        return SPEECH_RATE if self._service.protocol == "openai" else _SOVITS_RATE

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        """Raises LlmError."""
        key = (await self._key()).strip()
        request = speech_request(self._service, text, language, key)
        odd, first = b"", True
        chunks = self._client.stream_bytes(request, key=key, stall=self._timeout)
        async with aclosing(chunks):
            async for chunk in chunks:
                if first and chunk.lstrip().startswith(_MAGIC):
                    raise BadReply(chunk[:500].decode("utf-8", "replace"))
                first = False
                data = odd + chunk
                odd = data[len(data) // 2 * 2 :]
                if len(data) > 1:
                    yield data[: len(data) // 2 * 2]
        if first:
            raise BadReply


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
        return HttpRequest("POST", f"{base}/tts", headers, body)
    body = {
        "model": service.model or DEFAULT_MODEL,
        "voice": service.voice or DEFAULT_VOICE,
        "input": text,
        "response_format": "pcm",
    }
    if service.speed != 1.0:
        body["speed"] = service.speed
    return HttpRequest("POST", f"{base}/audio/speech", headers, body)
