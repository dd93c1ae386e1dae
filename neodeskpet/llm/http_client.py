"""The HTTP client: the only importer of httpx. It sends the requests of the protocol adapters and
feeds their decoders.

Errors of httpx are translated here. A key is only sent in a header; if a server echoes it, it is
removed from texts shown to the user.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import re
import socket
import ssl
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Sequence,
)
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import cast
from urllib.parse import urlsplit

import httpx
import truststore

from neodeskpet.core.errors import (
    BadReply,
    InvalidAddress,
    KeyUnencrypted,
    LlmError,
    ReplyError,
    ReplyTimedOut,
    StreamBroken,
    ToolsUnsupported,
    Unauthorized,
    Unreachable,
    UntrustedCertificate,
    WrongProtocol,
)
from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import MOST_BODY_DEPTH, read_json, write_pieces
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.transcript import ImagePart, UserTurn
from neodeskpet.core.turn.turn_trace import HttpExchange, OutgoingRequest, Tracer
from neodeskpet.core.wire import ResponseFinished, WireEvent
from neodeskpet.llm.network_backend import HostTimedOut, HostUnreachable, NetworkBackend, TimeLimit
from neodeskpet.llm.protocols.body_reader import BodyReader
from neodeskpet.llm.protocols.protocol import (
    HttpRequest,
    ModelOptions,
    ModelProtocol,
    MultipartForm,
    is_local,
    is_unencrypted,
)
from neodeskpet.llm.protocols.provider_errors import (
    error_from_status,
    redact_key,
    reply_too_long,
    says_tools_unsupported,
)
from neodeskpet.llm.protocols.reply_decoder import yield_before_error
from neodeskpet.platform import redaction
from neodeskpet.platform.content_coding import ACCEPTED, CodingRefused, unpack_chunks

_log = logging.getLogger(__name__)

STALL_SECONDS = 60.0
"""Seconds without data after which a reply counts as broken."""

_CONNECT = 15.0
_BURST = 64  # events decoded before yielding to the event loop
_DRAIN = 0.2  # seconds
_ERROR_BYTES = 1 << 18
_FETCHED = 32 << 20  # bytes of other answers than replies; many vectors take megabytes
_LARGE = 1 << 16  # bytes of JSON from which on it is parsed on a thread
_YIELD_SECONDS = 1 << 20  # characters of a request body between yields to the event loop
_PAUSES = 10  # the largest number of pauses of one reply


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A download from byte `start` on. `total` is the size of the whole file, None if the server
    doesn't send it; `sha256` is its checksum in hex, "" if unknown.
    """

    start: int
    total: int | None
    sha256: str
    chunks: AsyncGenerator[bytes, None]


def no_plain_host(_host: str) -> bool:
    """Allow no unencrypted host."""
    return False


class HttpClient:
    """The connection pool. Create it early: the first use of TLS costs 170–350 ms."""

    def __init__(self, proxy: str = "", *, plain_to: Callable[[str], bool] = no_plain_host) -> None:
        """Send all requests through `proxy` if it is set. Otherwise use the proxy of the
        environment, but never for this computer and its local network. `plain_to`: whether the user
        allows keys to be sent to this host without encryption.
        """
        self._plain_to = plain_to
        trust = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._http = _build(trust, proxy)
        self._direct = None if proxy else _build(trust, trust_env=False)

    async def aclose(self) -> None:
        await self._http.aclose()
        if self._direct is not None:
            await self._direct.aclose()

    def _check_secrecy(self, url: str, key: str) -> None:
        """Raises KeyUnencrypted before anything is sent."""
        parts = urlsplit(url)
        host = parts.hostname or ""
        if (key or parts.password) and is_unencrypted(url) and not self._plain_to(host):
            raise KeyUnencrypted(host=host)

    def _way(self, url: str) -> httpx.AsyncClient:
        return self._direct if self._direct is not None and is_local(url) else self._http

    async def fetch(self, request: HttpRequest, *, key: str = "", timeout: float = 15.0) -> object:
        """Return the JSON body of an answer other than a model's reply (a list of models, vectors).

        Raises LlmError.
        """
        async with self._send(request, key, timeout) as response:
            data = await _read_all(response)
            try:
                if len(data) > _LARGE:
                    return await asyncio.to_thread(_parse, data)
                return _parse(data)
            except ValueError:
                words = _without_keys(data.decode("utf-8", "replace"), key).strip()
                raise BadReply(words[:500]) from None

    async def stream(
        self,
        request: HttpRequest,
        reader: BodyReader,
        *,
        key: str = "",
        stall: float = STALL_SECONDS,
        first_byte_timeout: float = 0.0,
        exchange: HttpExchange | None = None,
    ) -> AsyncGenerator[Sequence[WireEvent], None]:
        """Yield the events of the reply to `request` in groups that arrived together;
        `ResponseFinished` comes alone. Raises LlmError. Closing the iterator closes the connection.
        The limit for the first byte is at least `first_byte_timeout` seconds. `exchange` records
        the request.
        """
        async with (
            self._send(request, key, max(stall, first_byte_timeout), exchange) as response,
            aclosing(_chunks(response)) as chunks,
            aclosing(_ChunkReader(chunks, stall, timed=first_byte_timeout > stall)) as chunk_reader,
        ):
            count = 0
            while not reader.done:
                chunk = await chunk_reader.next(reader)
                if chunk == b"":
                    break
                if exchange is not None and chunk is not None:
                    exchange.received(chunk)
                if chunk is None:
                    read = reader.fall_silent()
                elif reader.is_heavy(chunk):
                    read = await _decode_in_thread(partial(reader.feed, chunk))
                else:
                    read = reader.feed(chunk)
                for events in _grouped(read):
                    yield events
                    count += len(events)
                    if count >= _BURST:
                        count = 0
                        await asyncio.sleep(0)
            last = await _decode_in_thread(reader.end) if reader.is_heavy() else reader.end()
            for count, event in enumerate(last, 1):
                yield (event,)
                if not count % _BURST:
                    await asyncio.sleep(0)
            await chunk_reader.drain()

    async def stream_bytes(
        self, request: HttpRequest, *, key: str = "", stall: float = STALL_SECONDS
    ) -> AsyncGenerator[bytes, None]:
        """The body of an answer in pieces as they come (sound). Raises LlmError. Closing the
        iterator closes the connection.
        """
        async with self._send(request, key, stall) as response, aclosing(_chunks(response)) as body:
            async for chunk in body:
                if chunk:
                    yield chunk

    @asynccontextmanager
    async def open_file(
        self, url: str, start: int = 0, *, stall: float = STALL_SECONDS
    ) -> AsyncIterator[RemoteFile]:
        """Open a file for reading, from byte `start` on if the server supports that. Follows
        redirects. Raises LlmError, also while the file is read.
        """
        headers = {"User-Agent": "NeoDeskPet", "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        timeout = httpx.Timeout(stall, connect=_CONNECT, pool=None)
        with _translated("", stall):
            async with self._way(url).stream(
                "GET", url, headers=headers, timeout=timeout, follow_redirects=True
            ) as response:
                if not response.is_success:
                    raise await _status_error(response, tools=False)
                yield _remote_file(response)

    @asynccontextmanager
    async def _send(
        self, request: HttpRequest, key: str, stall: float, exchange: HttpExchange | None = None
    ) -> AsyncIterator[httpx.Response]:
        with _recorded(exchange), _translated(key, stall, ReplyTimedOut):
            if not (key.isascii() and key.isprintable()):
                raise Unauthorized(reason=N_("The key contains invalid characters."))
            self._check_secrecy(request.url, key)
            timeout = httpx.Timeout(stall, connect=min(_CONNECT, stall), pool=None)
            headers, content = await _content(request)
            if exchange is not None:
                exchange.sent(content or b"")
            async with self._way(request.url).stream(
                request.method, request.url, headers=headers, content=content, timeout=timeout
            ) as response:
                if not response.is_success:
                    tools = bool((request.body or {}).get("tools"))
                    raise await _status_error(response, tools=tools, exchange=exchange)
                yield response


_SHA256 = re.compile(r"(?:W/)?\"?([0-9a-f]{64})\"?")
_RANGE = re.compile(r"bytes (\d+)-\d*/(\d+|\*)")


def _remote_file(response: httpx.Response) -> RemoteFile:
    """Read the file's properties from the headers, including those of redirects: Hugging Face sends
    the checksum there and the file from another host.
    """
    ranged = _RANGE.match(response.headers.get("content-range", ""))
    start = int(ranged[1]) if ranged and response.status_code == 206 else 0
    length = response.headers.get("content-length", "")
    total = int(length) if length.isdigit() and not start else None
    if ranged and ranged[2] != "*":
        total = int(ranged[2])
    etags = (one.headers.get("x-linked-etag", "") for one in (*response.history, response))
    digests = [match[1] for text in etags if (match := _SHA256.fullmatch(text.lower()))]
    return RemoteFile(start, total, digests[0] if digests else "", _chunks(response))


def _build(trust: ssl.SSLContext, proxy: str = "", *, trust_env: bool = True) -> httpx.AsyncClient:
    """Build a client. `trust` holds the certificates of the system, including those that its owner
    added.
    """
    made = _make(trust, proxy, trust_env=trust_env)
    # httpx has no public way to set the network backend, and creates the transports for the
    # environment's proxies itself.
    for transport in (made._transport, *made._mounts.values()):
        if isinstance(transport, httpx.AsyncHTTPTransport):
            transport._pool._network_backend = NetworkBackend()
    return made


def _make(trust: ssl.SSLContext, proxy: str, *, trust_env: bool) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=32, max_keepalive_connections=8, keepalive_expiry=60)
    if proxy:
        return httpx.AsyncClient(proxy=proxy, verify=trust)
    try:
        return httpx.AsyncClient(verify=trust, limits=limits, trust_env=trust_env)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        _log.warning("The proxy named by the environment can't be used: %s", error)
        return httpx.AsyncClient(verify=trust, limits=limits, trust_env=False)


async def _content(request: HttpRequest) -> tuple[dict[str, str], bytes | None]:
    """Return headers and body. Lone surrogates in the text are replaced. Long bodies are encoded
    with yields to the event loop.
    """
    headers = {"User-Agent": "NeoDeskPet", "Accept-Encoding": ACCEPTED} | dict(request.headers)
    if request.form is not None:
        kind, content = await asyncio.to_thread(_write_form, request.form)
        return headers | {"Content-Type": kind}, content
    if request.body is None:
        return headers, None
    body, fresh = bytearray(), 0
    for piece in write_pieces(request.body):
        body += piece.encode("utf-8", "replace")
        fresh += len(piece)
        if fresh > _YIELD_SECONDS:
            await asyncio.sleep(0)
            fresh = 0
    return headers | {"Content-Type": "application/json"}, bytes(body)


def _write_form(form: MultipartForm) -> tuple[str, bytes]:
    """Return the content type and the body of a multipart request."""
    file = (form.file_name, form.data, form.media_type)
    written = httpx.Request(
        "POST", "http://form/", data=dict(form.fields), files={form.file_field: file}
    )
    return written.headers["content-type"], written.read()


@contextmanager
def _recorded(exchange: HttpExchange | None) -> Iterator[None]:
    """Report the end of a request to `exchange`, whatever the end is."""
    failed: LlmError | None = None
    try:
        yield
    except LlmError as error:
        failed = error
        raise
    finally:
        if exchange is not None:
            exchange.ended(failed)


def _chunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yield the decompressed body in small pieces. Raises CodingRefused."""
    raw = cast(AsyncGenerator[bytes, None], response.aiter_raw())
    header = response.headers.get("content-encoding", "")
    return unpack_chunks(raw, header) if header else raw


async def _decode_in_thread(read: Callable[[], Iterator[WireEvent]]) -> Iterator[WireEvent]:
    """Run `read` on another thread, so that the window isn't blocked."""
    return await asyncio.to_thread(_decode_all, read)


def _decode_all(read: Callable[[], Iterator[WireEvent]]) -> Iterator[WireEvent]:
    events: list[WireEvent] = []
    try:
        events.extend(read())
    except LlmError as error:
        return yield_before_error(events, error)
    return iter(events)


def _grouped(events: Iterator[WireEvent]) -> Iterator[list[WireEvent]]:
    """Yield the events in groups; events before a fault are yielded before it is raised."""
    burst: list[WireEvent] = []
    try:
        for event in events:
            burst.append(event)
            if len(burst) == _BURST:
                yield burst
                burst = []
    except LlmError:
        if burst:
            yield burst
        raise
    if burst:
        yield burst


class _ChunkReader:
    """The chunks of a reply, and the silences between them. `timed`: after its start the reply may
    be silent for `stall` seconds; otherwise the connection limits the silence.
    """

    def __init__(self, chunks: AsyncGenerator[bytes, None], stall: float, *, timed: bool) -> None:
        self._chunks = chunks
        self._stall = stall
        self._timed = timed
        self._has_received = False
        self._limit = TimeLimit()
        self._pending: asyncio.Future[bytes] | None = None

    async def next(self, reader: BodyReader) -> bytes | None:
        """Return the next chunk, b"" at the end, None after a silence that `reader` handles. After
        a complete reply, a connection error or a long silence counts as the end.
        """
        try:
            silence = reader.silence
            if silence is None and self._pending is None and self._has_received and not self._timed:
                return await anext(self._chunks, b"")  # the fast path, nearly always taken
            return await self._wait(silence)
        except (httpx.TransportError, StreamBroken) as error:
            if reader.settled:
                return b""
            if self._has_received and isinstance(error, httpx.ReadTimeout):
                raise _no_data_error(StreamBroken, self._stall) from None
            raise

    async def _wait(self, silence: float | None) -> bytes | None:
        if silence is None and self._pending is None:
            return await self._read()
        if self._pending is None:
            self._pending = asyncio.ensure_future(self._read())  # noqa: TID251 - awaited by `next`
        await asyncio.wait({self._pending}, timeout=silence)
        if not self._pending.done():
            return None
        pending, self._pending = self._pending, None
        return pending.result()

    async def _read(self) -> bytes:
        limit = self._stall if self._timed and self._has_received else None
        try:
            pending = anext(self._chunks, b"")
            chunk = await (pending if limit is None else self._limit.wait(pending, limit))
        except (httpx.ReadTimeout, TimeoutError):
            if self._has_received:
                raise _no_data_error(StreamBroken, self._stall) from None
            raise
        self._has_received = True
        return chunk

    async def drain(self) -> None:
        """Read to EOF after the terminator, so that the connection can be reused for the next
        round.
        """
        with suppress(TimeoutError, httpx.HTTPError, CodingRefused):
            async with asyncio.timeout(_DRAIN):
                if self._pending is None:
                    async for _ in self._chunks:
                        pass

    async def aclose(self) -> None:
        """Release the chunks so that they can be closed."""
        self._limit.end()
        if self._pending is not None:
            self._pending.cancel()
            await asyncio.wait({self._pending})
            self._pending = None


def _no_data_error(kind: type[StreamBroken], seconds: float) -> StreamBroken:
    return kind(reason=N_("No data for {seconds} s."), seconds=f"{seconds:g}")


async def _read_all(response: httpx.Response) -> bytes:
    """Return the body of an answer. Raises if it is too long."""
    data = bytearray()
    async with aclosing(_chunks(response)) as chunks:
        async for chunk in chunks:
            data += chunk
            if len(data) > _FETCHED:
                raise reply_too_long(_FETCHED >> 20)
    return bytes(data)


def _parse(data: bytes) -> object:
    return read_json(data.decode("utf-8", "replace"), depth=MOST_BODY_DEPTH)


async def _status_error(
    response: httpx.Response, *, tools: bool, exchange: HttpExchange | None = None
) -> LlmError:
    data = bytearray()
    with suppress(CodingRefused):  # the status is enough
        async with aclosing(_chunks(response)) as chunks:
            async for chunk in chunks:
                data += chunk
                if exchange is not None:
                    exchange.received(chunk)
                if len(data) > _ERROR_BYTES:
                    break
    headers = {name.lower(): value for name, value in response.headers.items()}
    text = data.decode("utf-8", "replace")
    failed = error_from_status(response.status_code, headers, text, tools=tools)
    if response.is_redirect:
        failed.params["reason"] = N_("The address redirects to {url}.")
        failed.params["url"] = headers.get("location", "?")
    return failed


@contextmanager
def _translated(
    key: str, stall: float, stalled: type[StreamBroken] = StreamBroken
) -> Iterator[None]:
    """Translate network errors to LlmError and remove the key from them. `stalled`: the error for a
    silence that nothing else explains.
    """
    try:
        yield
    except LlmError as error:
        raise _without_key(error, key) from None
    except (httpx.ConnectTimeout, httpx.ConnectError, httpx.ProxyError) as error:
        raise _unconnected(error, _without_keys(str(error), key)) from None
    except httpx.TimeoutException:
        raise _no_data_error(stalled, stall) from None
    except (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.LocalProtocolError) as error:
        raise InvalidAddress(_without_keys(str(error), key)) from None
    except httpx.TransportError as error:
        words = _without_keys(str(error), key)
        raise StreamBroken(words, reason=N_("The connection broke.")) from None
    except (httpx.DecodingError, CodingRefused) as error:
        raise BadReply(_without_keys(str(error), key)) from None


def _unconnected(
    error: httpx.ConnectTimeout | httpx.ConnectError | httpx.ProxyError, words: str
) -> LlmError:
    """Make the error for a failed connection. `words` is the text of the original error."""
    if "certificate verify failed" in words.casefold():
        return UntrustedCertificate(words)
    proxy = _proxy_of(error)
    if proxy:
        return Unreachable(words, reason=_PROXY_SILENT, proxy=proxy)
    if isinstance(error, httpx.ConnectTimeout):
        return Unreachable(reason=N_("No answer within {seconds} s."), seconds=f"{_CONNECT:g}")
    return Unreachable(words, reason=_why_unreachable(error), host=_host(error))


def _why_unreachable(error: httpx.TransportError) -> str:
    """Return why there is no connection, as a text for the user. The causes contain the errors of
    the operating system, which differ between systems.
    """
    if isinstance(error, httpx.ProxyError):
        return N_("The proxy refused the connection.")
    causes = list(_causes(error))
    words = " ".join(str(one) for one in causes).casefold()
    if any(isinstance(one, socket.gaierror) for one in causes) or _UNNAMED.search(words):
        return N_("There is no computer named {host}, or there is no network.")
    codes = {one.errno for one in causes if isinstance(one, OSError)}
    if errno.ECONNREFUSED in codes:
        return N_("{host} doesn't answer. Is the service running, and is the port right?")
    if codes & {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN}:
        return N_("{host} can't be reached. Is this computer online?")
    if "ssl" in words:
        return N_("The encrypted connection failed. Should the address begin with http://?")
    return N_("The connection to {host} failed.")


_PROXY_SILENT = N_("The proxy {proxy} can't be reached. Is it running, and is its address right?")


def _proxy_of(error: httpx.TransportError) -> str:
    """Return the address of the proxy that can't be reached, "" if it was the service itself."""
    wanted = error.request.url.raw_host.decode("ascii", "replace").casefold()
    for one in _causes(error):
        if isinstance(one, HostUnreachable | HostTimedOut) and one.host.casefold() != wanted:
            return f"{one.host}:{one.port}"
    return ""


_UNNAMED = re.compile(
    r"name or service not known|nodename nor servname|name resolution|getaddrinfo"
)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield `error` and all its causes, with exception groups flattened."""
    if error is None:
        return
    yield error
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _causes(one)
    yield from _causes(error.__cause__ or error.__context__)


def _host(error: httpx.TransportError) -> str:
    """Return the host of the request."""
    return error.request.url.netloc.decode("ascii", "replace")


def _without_keys(text: str, key: str) -> str:
    """Return `text` without keys. A server may echo more than the key it received: a whole header,
    or another key.
    """
    return redaction.redact(redact_key(text, key))


def _without_key(error: LlmError, key: str) -> LlmError:
    error.detail = _without_keys(error.detail, key)
    error.params = {name: _without_keys(value, key) for name, value in error.params.items()}
    error.args = (error.detail,)
    if error.raw is not None and key:
        error.raw = read_json(redact_key(json.dumps(error.raw), key), depth=MOST_BODY_DEPTH)
    return error


class HttpModel:
    """A model that is reached over a protocol: `core.model.Model`.

    `key` is awaited at each call, so that a new key is used at once (a keyring may be slow). If a
    400 names a parameter that can be omitted, the request is repeated without it, and the parameter
    is not sent again.
    """

    def __init__(
        self,
        client: HttpClient,
        protocol: ModelProtocol,
        options: ModelOptions,
        *,
        key: str | Callable[[], Awaitable[str]] = "",
        label: str = "",
        stall: float = STALL_SECONDS,
        first_byte_timeout: float = 0.0,
    ) -> None:
        self._client = client
        self._protocol = protocol
        self._options = options
        self._key = key
        self._label = label or options.model
        self._stall = stall
        self._first_byte_timeout = first_byte_timeout

    @property
    def label(self) -> str:
        return self._label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        key = (self._key if isinstance(self._key, str) else await self._key()).strip()
        while True:
            call = await self._render(request, key)
            shown = False
            try:
                async with aclosing(self._call(call, key, request.tracer)) as bursts:
                    async for events in bursts:
                        shown = True
                        for event in events:
                            yield event
                return
            except LlmError as error:
                if isinstance(error, WrongProtocol):
                    error.params["address"] = self._options.base_url
                relaxed = None if shown else self._protocol.relax(self._options, call, error)
                if relaxed is None:
                    raise _as_tool_error(error, tools=bool(request.tools)) from None
                self._options = relaxed

    async def _render(self, request: ModelRequest, key: str) -> HttpRequest:
        """Build the request on a thread, because encoding pictures is slow."""
        if not _shows_pictures(request):
            return self._build(request, key)
        return await asyncio.to_thread(self._build, request, key)

    def _build(self, request: ModelRequest, key: str) -> HttpRequest:
        try:
            return self._protocol.build_request(replace(self._options, key=key), request)
        except ValueError:
            address = self._options.base_url
            raise InvalidAddress(reason=N_("{url} isn't a valid address."), url=address) from None

    async def _call(
        self, call: HttpRequest, key: str, tracer: Tracer | None
    ) -> AsyncGenerator[Sequence[WireEvent], None]:
        """Yield the reply to `call`. A reply that pauses is continued as one reply."""
        decoder = self._protocol.new_decoder()
        for _ in range(_PAUSES):
            again: HttpRequest | None = None
            reader = BodyReader(decoder)
            exchange = None
            if tracer is not None:
                exchange = tracer.exchange(_sending(call, key, self._label))
            stream = self._client.stream(
                call,
                reader,
                key=key,
                stall=self._stall,
                first_byte_timeout=self._first_byte_timeout,
                exchange=exchange,
            )
            async with aclosing(stream) as bursts:
                async for events in bursts:
                    if isinstance(events[0], ResponseFinished):
                        again = decoder.resume(call)
                        if again is not None:
                            break
                    yield events
            if again is None:
                return
            call = again
        raise StreamBroken(reason=N_("The reply was interrupted too often."))


_PLAIN = frozenset({"accept", "anthropic-beta", "anthropic-version", "content-type"})
"""Headers without secrets."""


def _sending(call: HttpRequest, key: str, label: str) -> OutgoingRequest:
    """Return `call` without its keys, for the traffic log."""
    hide = partial(_without_keys, key=key)
    headers = {
        name: value if name.casefold() in _PLAIN else redaction.HIDDEN_MARK
        for name, value in call.headers.items()
    }
    return OutgoingRequest(label, call.method, hide(call.url), headers, hide)


def _shows_pictures(request: ModelRequest) -> bool:
    return any(
        isinstance(part, ImagePart) and part.data
        for message in request.messages
        if isinstance(message, UserTurn)
        for part in message.parts
    )


def _as_tool_error(error: LlmError, *, tools: bool) -> LlmError:
    """Return ToolsUnsupported if an error object inside HTTP 200 says that tools aren't supported,
    else `error`.
    """
    if tools and isinstance(error, ReplyError) and says_tools_unsupported(json.dumps(error.raw)):
        return ToolsUnsupported(error.detail, status=error.status, raw=error.raw)
    return error
