"""Recognizes speech with a Wyoming server (Home Assistant's protocol), for example
wyoming-faster-whisper: a JSON line for each event over TCP, followed by its data and its sound.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Mapping
from urllib.parse import urlsplit

from neodeskpet.core.i18n import N_
from neodeskpet.core.voice.ports import LISTEN_RATE, RecognizerFailed, Transcript

SCHEME = "tcp"
DEFAULT_PORT = 10300

_CHUNK_BYTES = LISTEN_RATE // 10 * 2
_MOST_LINE = 1 << 20
_MOST_DATA = 1 << 20
_SOUND = {"rate": LISTEN_RATE, "width": 2, "channels": 1}


class WyomingUnreachable(RecognizerFailed):
    code = "wyoming_unreachable"
    what = N_("The speech server {address} can't be reached.")
    hint = N_("Start it, or correct its address.")


class WyomingRecognizer:
    """A `core.voice.ports.Recognizer`. `address` is `tcp://host:port`. A server that sends nothing
    for `timeout` seconds has failed.
    """

    def __init__(self, address: str, *, timeout: float = 60.0) -> None:
        self._address = address
        self._timeout = timeout

    async def recognize(self, pcm: bytes, language: str = "") -> AsyncGenerator[Transcript, None]:
        """Raises RecognizerFailed."""
        reader, writer = await self._connect()
        try:
            async with asyncio.timeout(self._timeout):
                await _send_sound(writer, pcm, language)
            partial = ""
            while True:
                async with asyncio.timeout(self._timeout):
                    kind, data = await _read_event(reader)
                text = data.get("text", "")
                match kind:
                    case "transcript":
                        yield Transcript(str(text).strip(), is_final=True)
                        return
                    case "transcript-chunk":
                        partial += str(text)
                        yield Transcript(partial.strip(), is_final=False)
                    case "error":
                        raise RecognizerFailed(str(text)[:500])
                    case _:  # other events of the protocol say nothing about the text
                        continue
        except TimeoutError:
            raise RecognizerFailed(reason=N_("It does not answer.")) from None
        except (OSError, EOFError):
            raise RecognizerFailed(reason=N_("It closed the connection.")) from None
        except (ValueError, TypeError):
            raise RecognizerFailed(reason=N_("Its answer can't be read.")) from None
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            parts = urlsplit(self._address)
            host, port = parts.hostname or "", parts.port or DEFAULT_PORT
            async with asyncio.timeout(self._timeout):
                return await asyncio.open_connection(host, port, limit=_MOST_LINE)
        except (OSError, ValueError) as error:  # TimeoutError is an OSError
            raise WyomingUnreachable(str(error), address=self._address) from None


async def _send_sound(writer: asyncio.StreamWriter, pcm: bytes, language: str) -> None:
    _write_event(writer, "transcribe", {"language": language} if language else {})
    _write_event(writer, "audio-start", _SOUND)
    for start in range(0, len(pcm), _CHUNK_BYTES):
        _write_event(writer, "audio-chunk", _SOUND, pcm[start : start + _CHUNK_BYTES])
        await writer.drain()
    _write_event(writer, "audio-stop", {})
    await writer.drain()


def _write_event(
    writer: asyncio.StreamWriter, kind: str, data: Mapping[str, object], payload: bytes = b""
) -> None:
    event: dict[str, object] = {"type": kind, "data": data}
    if payload:
        event["payload_length"] = len(payload)
    writer.write(json.dumps(event).encode() + b"\n" + payload)


async def _read_event(reader: asyncio.StreamReader) -> tuple[str, Mapping[str, object]]:
    """Its type and data. Raises EOFError, ValueError, OSError."""
    line = await reader.readline()
    if not line:
        raise EOFError
    event = json.loads(line)
    if not isinstance(event, dict):
        raise ValueError("no event")
    data = event.get("data") or {}
    length = _length(event.get("data_length"))
    if length:
        data |= json.loads(await reader.readexactly(length))
    await reader.readexactly(_length(event.get("payload_length")))
    if not isinstance(data, dict):
        raise ValueError("no data")
    return str(event.get("type", "")), data


def _length(value: object) -> int:
    length = int(str(value or 0))
    if not 0 <= length <= _MOST_DATA:
        raise ValueError("too long")
    return length
