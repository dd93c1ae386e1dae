"""Speech recognized by a service on loopback."""

from __future__ import annotations

import asyncio
import io
import wave
from collections.abc import Iterator

import pytest

from neodeskpet.core.errors import BadReply, LlmError, ServiceFailed, Unauthorized, Unreachable
from neodeskpet.core.voice.ports import LISTEN_RATE, Transcript
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.http_transcriber import HttpTranscriber, TranscriptionService
from tests.support.transcription_server import TranscriptionServer

KEY = "sk-very-secret-key-1234"
PCM = b"\1\0" * LISTEN_RATE


@pytest.fixture
def server() -> Iterator[TranscriptionServer]:
    made = TranscriptionServer()
    yield made
    made.close()


def recognize(url: str, *, key: str = KEY, language: str = "", model: str = "") -> list[Transcript]:
    async def get_key() -> str:
        return key

    async def go() -> list[Transcript]:
        client = HttpClient()
        try:
            service = TranscriptionService(url, model)
            made = HttpTranscriber(client, service, key=get_key, timeout=5.0)
            return [one async for one in made.recognize(PCM, language)]
        finally:
            await client.aclose()

    return asyncio.run(go())


def test_sound_is_sent_as_wav_and_the_text_comes_back(server: TranscriptionServer) -> None:
    assert recognize(server.url + "/", language="zh", model="large") == [
        Transcript("Hello there.", is_final=True)
    ]
    assert server.paths == ["/v1/audio/transcriptions"]
    assert server.authorizations == [f"Bearer {KEY}"]
    (form,) = server.forms
    assert form["model"].get_payload() == "large"
    assert form["language"].get_payload() == "zh"
    sound = form["file"].get_payload(decode=True)
    assert isinstance(sound, bytes)
    with wave.open(io.BytesIO(sound)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16000, 1, 2)
        assert file.readframes(file.getnframes()) == PCM


def test_without_a_key_and_a_language_neither_is_sent(server: TranscriptionServer) -> None:
    recognize(server.url, key="")
    assert server.authorizations == [""]
    assert "language" not in server.forms[0]
    assert server.forms[0]["model"].get_payload() == "whisper-1"


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (401, '{"error": {"message": "bad key"}}', Unauthorized),
        (500, "out of memory", ServiceFailed),
        (200, '{"words": []}', BadReply),
        (200, "[1]", BadReply),
        (200, "<html>", BadReply),
    ],
)
def test_failures_are_known_errors_without_the_key(
    server: TranscriptionServer, status: int, body: str, error: type[LlmError]
) -> None:
    server.status, server.body = status, body
    with pytest.raises(error) as raised:
        recognize(server.url)
    assert KEY not in str(raised.value)


def test_no_server_at_the_address(server: TranscriptionServer) -> None:
    server.close()
    with pytest.raises(Unreachable):
        recognize(server.url)
