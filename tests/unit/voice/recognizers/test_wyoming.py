"""Speech recognised by servers that are built with the `wyoming` package, and by broken ones."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest
from wyoming.asr import Transcribe, TranscriptChunk, TranscriptStart
from wyoming.asr import Transcript as Heard
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event, async_read_event, async_write_event

from neodeskpet.core.voice.ports import Transcript
from neodeskpet.voice.recognizers.wyoming import WyomingRecognizer
from neodeskpet.voice.wyoming_connection import WyomingError, WyomingUnreachable

PCM = bytes(range(256)) * 100
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def recognize(handler: Handler, *, timeout: float = 20.0) -> list[Transcript]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            await handler(reader, writer)
        writer.close()

    async def go() -> list[Transcript]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            made = WyomingRecognizer(f"tcp://127.0.0.1:{port}", timeout=timeout)
            return [one async for one in made.recognize(PCM, "zh")]

    return asyncio.run(go())


async def read_all(reader: asyncio.StreamReader) -> list[Event]:
    events: list[Event] = []
    while (event := await async_read_event(reader)) is not None:
        events.append(event)
        if AudioStop.is_type(event.type):
            break
    return events


def test_the_sound_arrives_and_the_text_is_returned() -> None:
    received: list[Event] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.extend(await read_all(reader))
        await async_write_event(Heard(text=" 你好。 ").event(), writer)

    assert recognize(handler) == [Transcript("你好。", is_final=True)]
    assert Transcribe.from_event(received[0]).language == "zh"
    started = AudioStart.from_event(received[1])
    assert (started.rate, started.width, started.channels) == (16_000, 2, 1)
    chunks = [AudioChunk.from_event(one) for one in received if AudioChunk.is_type(one.type)]
    assert b"".join(one.audio for one in chunks) == PCM


def test_partial_texts_come_first() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_all(reader)
        await async_write_event(TranscriptStart().event(), writer)
        await async_write_event(TranscriptChunk(text="Hello").event(), writer)
        await async_write_event(TranscriptChunk(text=" you").event(), writer)
        await async_write_event(Heard(text="Hello you").event(), writer)

    assert recognize(handler) == [
        Transcript("Hello", is_final=False),
        Transcript("Hello you", is_final=False),
        Transcript("Hello you", is_final=True),
    ]


def test_the_message_of_an_error_is_kept() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_all(reader)
        await async_write_event(Error(text="no model loaded").event(), writer)

    with pytest.raises(WyomingError, match="no model loaded"):
        recognize(handler)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"no json\n",
        b"[]\n",
        b'{"type": "transcript", "data": [1]}\n',
        b'{"type": "transcript", "data_length": 50}\n{"text"',
        b'{"type": "transcript", "data_length": 99999999999}\n',
        b'{"type": "transcript", "payload_length": -1}\n',
    ],
)
def test_broken_answers_are_known_errors(answer: bytes) -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_all(reader)
        writer.write(answer)
        await writer.drain()

    with pytest.raises(WyomingError):
        recognize(handler)


def test_a_silent_server_has_failed() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_all(reader)
        await reader.read()  # until the client disconnects

    with pytest.raises(WyomingError):
        recognize(handler, timeout=0.3)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "tcp://127.0.0.1:99999", "tcp://[::"])
def test_no_server_at_the_address(address: str) -> None:
    async def go() -> None:
        async for _ in WyomingRecognizer(address, timeout=5.0).recognize(PCM):
            pass

    with pytest.raises(WyomingUnreachable):
        asyncio.run(go())
