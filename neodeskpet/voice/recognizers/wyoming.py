"""Recognizes speech with a Wyoming server (Home Assistant's protocol), for example
wyoming-faster-whisper.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator

from neodeskpet.core.voice.ports import LISTEN_RATE, Transcript
from neodeskpet.voice.wyoming_connection import WyomingConnection, wyoming_connection

DEFAULT_PORT = 10300
_CHUNK_BYTES = LISTEN_RATE // 10 * 2
_SOUND = {"rate": LISTEN_RATE, "width": 2, "channels": 1}


class WyomingRecognizer:
    """A `core.voice.ports.Recognizer`. `address` is `tcp://host:port`. A server that sends nothing
    for `timeout` seconds has failed.
    """

    def __init__(self, address: str, *, timeout: float = 60.0) -> None:
        self._address = address
        self._timeout = timeout

    async def recognize(self, pcm: bytes, language: str = "") -> AsyncGenerator[Transcript, None]:
        """Raises WyomingError."""
        async with wyoming_connection(self._address, DEFAULT_PORT, self._timeout) as server:
            await _send_sound(server, pcm, language)
            partial = ""
            while True:
                event = await server.receive()
                text = str(event.data.get("text", ""))
                match event.kind:
                    case "transcript":
                        yield Transcript(text.strip(), is_final=True)
                        return
                    case "transcript-chunk":
                        partial += text
                        yield Transcript(partial.strip(), is_final=False)
                    case _:  # other events of the protocol say nothing about the text
                        continue


async def _send_sound(server: WyomingConnection, pcm: bytes, language: str) -> None:
    await server.send("transcribe", {"language": language} if language else {})
    await server.send("audio-start", _SOUND)
    for start in range(0, len(pcm), _CHUNK_BYTES):
        await server.send("audio-chunk", _SOUND, pcm[start : start + _CHUNK_BYTES])
    await server.send("audio-stop", {})
