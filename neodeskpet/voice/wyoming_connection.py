"""The Wyoming protocol (of Home Assistant) over TCP: a JSON line for each event, followed by its
data and its sound. https://github.com/OHF-Voice/wyoming describes it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from neodeskpet.core.i18n import N_
from neodeskpet.core.voice.ports import VoiceError

SCHEME = "tcp"
_MOST_LINE = 1 << 20
_MOST_DATA = 1 << 20


class WyomingError(VoiceError):
    code = "wyoming"
    what = N_("The speech server {address} failed.")
    show_detail = True


class WyomingUnreachable(WyomingError):
    code = "wyoming_unreachable"
    what = N_("The speech server {address} can't be reached.")
    hint = N_("Start it, or correct its address.")


@dataclass(frozen=True, slots=True)
class WyomingEvent:
    kind: str
    data: Mapping[str, object]
    payload: bytes = b""


class WyomingConnection:
    """A connection for one request. A server that sends nothing for `timeout` seconds has failed.
    All methods raise WyomingError.
    """

    def __init__(
        self,
        address: str,
        timeout: float,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.address = address
        self._timeout = timeout
        self._reader = reader
        self._writer = writer

    async def send(self, kind: str, data: Mapping[str, object], payload: bytes = b"") -> None:
        event: dict[str, object] = {"type": kind, "data": data}
        if payload:
            event["payload_length"] = len(payload)
        async with self._failures(), asyncio.timeout(self._timeout):
            self._writer.write(json.dumps(event).encode() + b"\n" + payload)
            await self._writer.drain()

    async def receive(self) -> WyomingEvent:
        """Return the next event. An error event of the server is raised."""
        async with self._failures():
            async with asyncio.timeout(self._timeout):
                event = await _read_event(self._reader)
        if event.kind == "error":
            raise WyomingError(str(event.data.get("text", ""))[:500], address=self.address)
        return event

    @contextlib.asynccontextmanager
    async def _failures(self) -> AsyncGenerator[None, None]:
        try:
            yield
        except TimeoutError:
            raise self._error(N_("It does not answer.")) from None
        except (OSError, EOFError):
            raise self._error(N_("It closed the connection.")) from None
        except (ValueError, TypeError):
            raise self._error(N_("Its answer can't be read.")) from None

    def _error(self, reason: str) -> WyomingError:
        return WyomingError(reason=reason, address=self.address)


@contextlib.asynccontextmanager
async def wyoming_connection(
    address: str, default_port: int, timeout: float
) -> AsyncGenerator[WyomingConnection, None]:
    """Connect to `tcp://host:port`. Raises WyomingUnreachable."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or default_port
        async with asyncio.timeout(timeout):
            reader, writer = await asyncio.open_connection(host, port, limit=_MOST_LINE)
    except (OSError, ValueError) as error:  # TimeoutError is an OSError
        raise WyomingUnreachable(str(error), address=address) from None
    try:
        yield WyomingConnection(address, timeout, reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _read_event(reader: asyncio.StreamReader) -> WyomingEvent:
    """Raises EOFError, ValueError, TypeError, OSError."""
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
    payload = await reader.readexactly(_length(event.get("payload_length")))
    if not isinstance(data, dict):
        raise ValueError("no data")
    return WyomingEvent(str(event.get("type", "")), data, payload)


def _length(value: object) -> int:
    length = int(str(value or 0))
    if not 0 <= length <= _MOST_DATA:
        raise ValueError("too long")
    return length
