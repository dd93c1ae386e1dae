"""Recognizes speech through a service: OpenAI's `POST /v1/audio/transcriptions`."""

from __future__ import annotations

import io
import wave
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass

from neodeskpet.core.errors import BadReply
from neodeskpet.core.voice.ports import LISTEN_RATE, Transcript
from neodeskpet.llm.http_client import STALL_SECONDS, HttpClient
from neodeskpet.llm.protocols.protocol import HttpRequest, MultipartForm

DEFAULT_MODEL = "whisper-1"


@dataclass(frozen=True, slots=True)
class TranscriptionService:
    """`base_url` ends as that of the chat does, usually in /v1."""

    base_url: str
    model: str = DEFAULT_MODEL


class HttpTranscriber:
    """A `core.voice.ports.Recognizer`."""

    def __init__(
        self,
        client: HttpClient,
        service: TranscriptionService,
        *,
        key: Callable[[], Awaitable[str]],
        timeout: float = STALL_SECONDS,
    ) -> None:
        self._client = client
        self._service = service
        self._key = key
        self._timeout = timeout

    async def recognize(self, pcm: bytes, language: str = "") -> AsyncGenerator[Transcript, None]:
        """Raises LlmError."""
        key = (await self._key()).strip()
        request = transcription_request(self._service, pcm, language, key)
        body = await self._client.fetch(request, key=key, timeout=self._timeout)
        if not isinstance(body, Mapping) or not isinstance(body.get("text"), str):
            raise BadReply(repr(body)[:500])
        yield Transcript(body["text"].strip(), is_final=True)


def transcription_request(
    service: TranscriptionService, pcm: bytes, language: str, key: str
) -> HttpRequest:
    fields = {"model": service.model or DEFAULT_MODEL, "response_format": "json"}
    if language:
        fields["language"] = language
    return HttpRequest(
        "POST",
        f"{service.base_url.rstrip('/')}/audio/transcriptions",
        {"Authorization": f"Bearer {key}"} if key else {},
        form=MultipartForm(fields, "file", "speech.wav", "audio/wav", wav_bytes(pcm)),
    )


def wav_bytes(pcm: bytes, rate: int = LISTEN_RATE) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(pcm)
    return buffer.getvalue()
