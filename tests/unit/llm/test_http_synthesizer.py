"""Speech made by a service on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from neodeskpet.core.errors import BadReply, KnownError, ServiceFailed, Unauthorized
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.http_synthesizer import (
    HttpSynthesizer,
    SpeechService,
    speech_protocol,
    speech_request,
)
from neodeskpet.llm.http_transcriber import wav_bytes
from tests.support.speech_server import SpeechServer

KEY = "sk-very-secret-key-1234"


@pytest.fixture
def server() -> Iterator[SpeechServer]:
    made = SpeechServer()
    yield made
    made.close()


def synthesize(
    service: SpeechService,
    text: str = "Hello.",
    language: str = "en",
    *,
    timeout: float = 5.0,
    into: list[bytes] | None = None,
) -> list[bytes]:
    """Return the pieces; they are also added to `into`, which keeps them after a failure."""
    pieces = [] if into is None else into

    async def get_key() -> str:
        return KEY

    async def go() -> list[bytes]:
        client = HttpClient()
        try:
            made = HttpSynthesizer(client, service, key=get_key, timeout=timeout)
            async for one in made.synthesize(text, language):
                pieces.append(one)
            return pieces
        finally:
            await client.aclose()

    return asyncio.run(go())


def test_whole_samples_come_as_they_arrive(server: SpeechServer) -> None:
    pieces = synthesize(SpeechService(server.url + "/", voice="nova", speed=1.2))
    assert b"".join(pieces) == b"\1\0\2\0\3\0"
    assert all(len(piece) % 2 == 0 for piece in pieces)
    ((path, authorization, body),) = server.requests
    assert (path, authorization) == ("/v1/audio/speech", f"Bearer {KEY}")
    assert body == {
        "model": "tts-1",
        "voice": "nova",
        "input": "Hello.",
        "response_format": "wav",
        "speed": 1.2,
    }


def test_only_openai_is_asked_for_pcm_because_its_rate_is_known() -> None:
    for address, wanted in {
        "https://api.openai.com/v1": "pcm",
        "http://localhost:8880/v1": "wav",
    }.items():
        body = speech_request(SpeechService(address), "Hello.", "en", "").body
        assert body is not None
        assert body["response_format"] == wanted


def test_gpt_sovits(server: SpeechServer) -> None:
    service = SpeechService(server.url, voice="/voices/mimi.wav", protocol="gpt_sovits")
    assert b"".join(synthesize(service, "你好。", "zh")) == b"\1\0\2\0\3\0"
    ((path, _, body),) = server.requests
    assert path == "/v1/tts"
    assert (body["text"], body["text_lang"], body["ref_audio_path"]) == (
        "你好。",
        "zh",
        "/voices/mimi.wav",
    )


def test_piper_and_servers_that_send_wav_files(server: SpeechServer) -> None:
    file = wav_bytes(b"\1\0\2\0\3\0", 24_000)
    server.pieces = [file[:7], file[7:45], file[45:]]
    service = SpeechService(f"{server.url}/synthesize", speed=2.0, protocol="piper")
    assert b"".join(synthesize(service)) == b"\1\0\2\0\3\0"
    assert b"".join(synthesize(SpeechService(server.url))) == b"\1\0\2\0\3\0"
    (path, _, body) = server.requests[0]
    assert (path, body) == ("/v1/synthesize", {"text": "Hello.", "length_scale": 0.5})


@pytest.mark.parametrize(
    ("address", "protocol"),
    [
        ("http://localhost:5000/synthesize/", "piper"),
        ("http://localhost:9880/tts", "gpt_sovits"),
        ("http://localhost:8000/v1", "openai"),
    ],
)
def test_the_address_determines_the_protocol(address: str, protocol: str) -> None:
    assert speech_protocol(address) == protocol


@pytest.mark.parametrize(
    "body", [b'{"error": "no such voice"}', b"<html>", b"RIFF....WAVEdata...."]
)
def test_a_body_that_is_no_pcm_is_never_played(server: SpeechServer, body: bytes) -> None:
    server.pieces = [body]
    with pytest.raises(BadReply):
        synthesize(SpeechService(server.url))


@pytest.mark.parametrize("end", ["cut", "hang"])
def test_a_service_that_stops_in_a_sentence_fails_after_the_received_sound(
    server: SpeechServer, end: str
) -> None:
    server.pieces, server.end = [b"\1\0" * 5000], end
    received: list[bytes] = []
    with pytest.raises(KnownError):
        synthesize(SpeechService(server.url), timeout=0.3, into=received)
    assert b"\1\0" * 1000 in b"".join(received)


def test_an_empty_body_is_an_error(server: SpeechServer) -> None:
    server.pieces = []
    with pytest.raises(BadReply):
        synthesize(SpeechService(server.url))


@pytest.mark.parametrize(("status", "error"), [(401, Unauthorized), (500, ServiceFailed)])
def test_the_message_of_the_service_is_kept_without_the_key(
    server: SpeechServer, status: int, error: type[Exception]
) -> None:
    server.status = status
    server.pieces = [f'{{"error": {{"message": "Refused for {KEY}"}}}}'.encode()]
    with pytest.raises(error) as refused:
        synthesize(SpeechService(server.url))
    assert "Refused" in str(refused.value)
    assert KEY not in str(refused.value)
