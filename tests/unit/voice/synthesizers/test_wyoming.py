"""Speech made by servers that are built with the `wyoming` package, and by broken ones."""

from __future__ import annotations

import asyncio
import contextlib
from array import array
from collections.abc import Awaitable, Callable

import pytest
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event, async_read_event, async_write_event
from wyoming.tts import Synthesize

from neodeskpet.voice.synthesizers.wyoming import WyomingSynthesizer
from neodeskpet.voice.wyoming_connection import WyomingError, WyomingUnreachable

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def synthesize(handler: Handler, voice: str = "", *, timeout: float = 20.0) -> bytes:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            await handler(reader, writer)
        writer.close()

    async def go() -> bytes:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            address = f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            made = WyomingSynthesizer(address, voice, timeout=timeout)
            return b"".join([one async for one in made.synthesize("Hello.", "en")])

    return asyncio.run(go())


def sends(*events: Event, received: list[Event] | None = None) -> Handler:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await async_read_event(reader)
        if received is not None and asked is not None:
            received.append(asked)
        for event in events:
            await async_write_event(event, writer)

    return handler


def sound(rate: int, width: int, channels: int, *pieces: bytes) -> list[Event]:
    return [
        AudioStart(rate=rate, width=width, channels=channels).event(),
        *(
            AudioChunk(rate=rate, width=width, channels=channels, audio=piece).event()
            for piece in pieces
        ),
        AudioStop().event(),
    ]


def test_the_text_arrives_and_the_sound_is_returned() -> None:
    received: list[Event] = []
    events = sound(24_000, 2, 1, b"\1\0\2", b"\0\3\0")
    assert synthesize(sends(*events, received=received), "joe") == b"\1\0\2\0\3\0"
    asked = Synthesize.from_event(received[0])
    assert (asked.text, asked.voice and asked.voice.name) == ("Hello.", "joe")


def test_without_a_voice_the_language_is_named() -> None:
    received: list[Event] = []
    synthesize(sends(*sound(24_000, 2, 1), received=received))
    asked = Synthesize.from_event(received[0])
    assert asked.voice is not None
    assert (asked.voice.name, asked.voice.language) == (None, "en")


def test_another_rate_and_two_channels_are_converted() -> None:
    pcm = synthesize(sends(*sound(48_000, 2, 2, array("h", [100, 300] * 96).tobytes())))
    assert list(array("h", pcm))[16:] == [200] * 32


@pytest.mark.parametrize(
    "events",
    [
        [Error(text="no such voice").event()],
        sound(24_000, 4, 1, b"\0" * 8),
        sound(1, 2, 1, b"\0" * 8),
        sound(24_000, 2, 1, b"\0\0")[:-1],  # cut before its end
    ],
)
def test_other_answers_are_known_errors(events: list[Event]) -> None:
    with pytest.raises(WyomingError):
        synthesize(sends(*events))


def test_a_silent_server_has_failed() -> None:
    async def handler(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()  # until the client disconnects

    with pytest.raises(WyomingError):
        synthesize(handler, timeout=0.3)


def test_no_server_at_the_address() -> None:
    async def go() -> None:
        async for _ in WyomingSynthesizer("tcp://127.0.0.1:1", timeout=5.0).synthesize("Hi"):
            pass

    with pytest.raises(WyomingUnreachable):
        asyncio.run(go())
