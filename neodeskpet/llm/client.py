"""The network: the only importer of httpx. Sends what an adapter built, feeds its decoder.

Foreign errors are translated here. A key is only ever in a header; should a server echo it, it is
taken out of the words a person is shown.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import cast

import httpx

from neodeskpet.core.errors import (
    BadReply,
    LlmError,
    ReplyError,
    StreamBroken,
    ToolsUnsupported,
    Unauthorized,
    Unreachable,
)
from neodeskpet.core.json_text import BODY_DEPTH, read_json
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.transcript import ImagePart, UserTurn
from neodeskpet.core.wire import ResponseFinished, WireEvent
from neodeskpet.language import tr
from neodeskpet.llm.protocols.body import BodyReader
from neodeskpet.llm.protocols.protocol import HttpRequest, ModelOptions, ModelProtocol
from neodeskpet.llm.protocols.provider_errors import (
    error_from_status,
    redact,
    says_tools_unsupported,
)

_log = logging.getLogger(__name__)

STALL = 60.0
"""Seconds without a byte after which a reply counts as broken."""

_CONNECT = 15.0
_BURST = 64  # events after which the loop gets a turn while a burst is decoded
_DRAIN = 0.2  # seconds
_ERROR_BYTES = 1 << 20
_PAUSES = 10  # how often a reply may pause
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A download that has begun at byte `start`. `total` is the whole file's size, None if the
    server doesn't tell; `sha256` its checksum in hex, "" if it doesn't.
    """

    start: int
    total: int | None
    sha256: str
    chunks: AsyncGenerator[bytes, None]


class HttpClient:
    """One connection pool for everything. Build it early: the first use of TLS costs 170–350 ms."""

    def __init__(self) -> None:
        self._http = _build()

    async def close(self) -> None:
        await self._http.aclose()

    async def fetch(self, request: HttpRequest, *, key: str = "", timeout: float = 15.0) -> object:
        """The JSON body of an answer that isn't a model's reply (a list of models, vectors).

        Raises LlmError.
        """
        async with self._send(request, key, timeout) as response:
            data = await response.aread()
            try:
                return read_json(data.decode("utf-8", "replace"), depth=BODY_DEPTH)
            except ValueError:
                words = redact(data.decode("utf-8", "replace"), key).strip()
                raise BadReply(words[:500]) from None

    async def stream(
        self, request: HttpRequest, reader: BodyReader, *, key: str = "", stall: float = STALL
    ) -> AsyncGenerator[WireEvent, None]:
        """The reply to `request`, decoded as it comes. Raises LlmError. Closing the iterator
        closes the connection.
        """
        async with (
            self._send(request, key, stall) as response,
            aclosing(_chunks(response)) as chunks,
        ):
            count = 0
            async for chunk in chunks:
                for event in reader.feed(chunk):
                    yield event
                    count += 1
                    if count % _BURST == 0:
                        await asyncio.sleep(0)
                if reader.done:
                    break
            for event in reader.end():
                yield event
            await _drain(chunks)

    @asynccontextmanager
    async def open_file(
        self, url: str, start: int = 0, *, stall: float = STALL
    ) -> AsyncIterator[RemoteFile]:
        """A file to be read, from byte `start` on if the server can. Follows redirects. Raises
        LlmError, also while it is read.
        """
        headers = {"User-Agent": "NeoDeskPet", "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        timeout = httpx.Timeout(stall, connect=_CONNECT, pool=None)
        with _translated("", stall):
            async with self._http.stream(
                "GET", url, headers=headers, timeout=timeout, follow_redirects=True
            ) as response:
                if not response.is_success:
                    raise await _status_error(response, tools=False)
                yield _remote_file(response)

    @asynccontextmanager
    async def _send(
        self, request: HttpRequest, key: str, stall: float
    ) -> AsyncIterator[httpx.Response]:
        with _translated(key, stall):
            if not (key.isascii() and key.isprintable()):
                raise Unauthorized(tr("The key holds characters that no key has."))
            timeout = httpx.Timeout(stall, connect=min(_CONNECT, stall), pool=None)
            heavy = request.heavy
            headers, content = (
                await asyncio.to_thread(_content, request) if heavy else _content(request)
            )
            async with self._http.stream(
                request.method, request.url, headers=headers, content=content, timeout=timeout
            ) as response:
                if not response.is_success:
                    raise await _status_error(
                        response, tools=bool((request.body or {}).get("tools"))
                    )
                yield response


_SHA256 = re.compile(r"(?:W/)?\"?([0-9a-f]{64})\"?")
_RANGE = re.compile(r"bytes (\d+)-\d*/(\d+|\*)")


def _remote_file(response: httpx.Response) -> RemoteFile:
    """What the headers tell of the file, those of redirects too: the hub names the checksum there
    and sends the file from elsewhere.
    """
    ranged = _RANGE.match(response.headers.get("content-range", ""))
    start = int(ranged[1]) if ranged and response.status_code == 206 else 0
    length = response.headers.get("content-length", "")
    total = int(length) if length.isdigit() and not start else None
    if ranged and ranged[2] != "*":
        total = int(ranged[2])
    told = (one.headers.get("x-linked-etag", "") for one in (*response.history, response))
    digests = [match[1] for text in told if (match := _SHA256.fullmatch(text.lower()))]
    return RemoteFile(start, total, digests[0] if digests else "", _chunks(response))


def _build() -> httpx.AsyncClient:
    """A proxy from the environment is used, but never towards this machine."""
    direct: dict[str, httpx.AsyncBaseTransport | None] = {f"all://{h}": None for h in _LOOPBACK}
    limits = httpx.Limits(max_connections=32, max_keepalive_connections=8, keepalive_expiry=60)
    try:
        return httpx.AsyncClient(mounts=direct, limits=limits)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        _log.warning("The proxy named by the environment can't be used: %s", error)
        return httpx.AsyncClient(trust_env=False, limits=limits)


def _content(request: HttpRequest) -> tuple[dict[str, str], bytes | None]:
    """Headers and body. A lone surrogate in the text must not keep the request from being sent."""
    headers = {"User-Agent": "NeoDeskPet"} | dict(request.headers)
    if request.body is None:
        return headers, None
    body = json.dumps(request.body, ensure_ascii=False, separators=(",", ":"))
    return headers | {"Content-Type": "application/json"}, body.encode("utf-8", "replace")


def _chunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    return cast(AsyncGenerator[bytes, None], response.aiter_bytes())


async def _drain(chunks: AsyncGenerator[bytes, None]) -> None:
    """Read to EOF after the terminator, so that the connection can serve the next round."""
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(_DRAIN):
            async for _ in chunks:
                pass


async def _status_error(response: httpx.Response, *, tools: bool) -> LlmError:
    data = bytearray()
    async with aclosing(_chunks(response)) as chunks:
        async for chunk in chunks:
            data += chunk
            if len(data) > _ERROR_BYTES:
                break
    headers = {name.lower(): value for name, value in response.headers.items()}
    text = data.decode("utf-8", "replace")
    if response.is_redirect:
        text = tr("The address redirects to {url}.", url=headers.get("location", "?"))
    return error_from_status(response.status_code, headers, text, tools=tools)


@contextmanager
def _translated(key: str, stall: float) -> Iterator[None]:
    """Errors of the network become ours, and no error holds the key."""
    try:
        yield
    except LlmError as error:
        raise _clean(error, key) from None
    except httpx.ConnectTimeout:
        raise Unreachable(tr("No answer within {seconds} s.", seconds=f"{_CONNECT:g}")) from None
    except httpx.TimeoutException:
        raise StreamBroken(tr("Nothing came for {seconds} s.", seconds=f"{stall:g}")) from None
    except (httpx.ConnectError, httpx.ProxyError) as error:
        raise Unreachable(redact(str(error), key)) from None
    except (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.LocalProtocolError) as error:
        raise Unreachable(redact(str(error), key)) from None
    except httpx.TransportError as error:
        words = str(error) or tr("The service reset the connection.")
        raise StreamBroken(redact(words, key)) from None
    except httpx.DecodingError as error:
        raise BadReply(redact(str(error), key)) from None


def _clean(error: LlmError, key: str) -> LlmError:
    error.detail = redact(error.detail, key)
    error.params = {name: redact(value, key) for name, value in error.params.items()}
    error.args = (error.detail,)
    if error.raw is not None and key:
        error.raw = read_json(redact(json.dumps(error.raw), key), depth=BODY_DEPTH)
    return error


class HttpModel:
    """A model behind a protocol: `core.model.Model`.

    `key` is asked for at each call, so that a new one counts at once (a keyring may take its time,
    so it is awaited). A 400 that names a parameter
    we could do without is answered by asking again without it, for good.
    """

    def __init__(
        self,
        client: HttpClient,
        protocol: ModelProtocol,
        options: ModelOptions,
        *,
        key: str | Callable[[], Awaitable[str]] = "",
        label: str = "",
        stall: float = STALL,
    ) -> None:
        self._client = client
        self._protocol = protocol
        self._options = options
        self._key = key
        self._label = label or options.model
        self._stall = stall

    @property
    def label(self) -> str:
        return self._label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        key = (self._key if isinstance(self._key, str) else await self._key()).strip()
        while True:
            call = await self._word(request, key)
            shown = False
            try:
                async with aclosing(self._call(call, key)) as events:
                    async for event in events:
                        shown = True
                        yield event
                return
            except LlmError as error:
                relaxed = None if shown else self._protocol.relax(self._options, call, error)
                if relaxed is None:
                    raise _with_tools_in_mind(error, tools=bool(request.tools)) from None
                self._options = relaxed

    async def _word(self, request: ModelRequest, key: str) -> HttpRequest:
        """Pictures take their time to be worded: not on the loop."""
        if not _shows_pictures(request):
            return self._build(request, key)
        return replace(await asyncio.to_thread(self._build, request, key), heavy=True)

    def _build(self, request: ModelRequest, key: str) -> HttpRequest:
        try:
            return self._protocol.build_request(replace(self._options, key=key), request)
        except ValueError:
            address = self._options.base_url
            raise Unreachable(tr("{url} isn't a valid address.", url=address)) from None

    async def _call(self, call: HttpRequest, key: str) -> AsyncGenerator[WireEvent, None]:
        """The reply to `call`; one that pauses is gone on with as if it were one."""
        decoder = self._protocol.new_decoder()
        for _ in range(_PAUSES):
            again: HttpRequest | None = None
            reader = BodyReader(decoder)
            stream = self._client.stream(call, reader, key=key, stall=self._stall)
            async with aclosing(stream) as events:
                async for event in events:
                    if isinstance(event, ResponseFinished):
                        again = decoder.resume(call)
                        if again is not None:
                            break
                    yield event
            if again is None:
                return
            call = again
        raise StreamBroken(tr("The reply paused too often."))


def _shows_pictures(request: ModelRequest) -> bool:
    return any(
        isinstance(part, ImagePart) and part.data
        for message in request.messages
        if isinstance(message, UserTurn)
        for part in message.parts
    )


def _with_tools_in_mind(error: LlmError, *, tools: bool) -> LlmError:
    """An error object inside HTTP 200 that says that tools aren't supported."""
    if tools and isinstance(error, ReplyError) and says_tools_unsupported(json.dumps(error.raw)):
        return ToolsUnsupported(error.detail, status=error.status, raw=error.raw)
    return error
