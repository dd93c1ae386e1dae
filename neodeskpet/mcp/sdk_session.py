"""An open connection to a server, made with the SDK. Only this module and its imports use the SDK.

Loading the SDK takes a second and 70 MB, so this module is imported when the first server starts,
on the servers' thread. Exceptions of the SDK are translated here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.session import ClientRequestContext
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import UrlElicitationRequiredError
from pydantic import ValidationError

from neodeskpet.core.errors import KnownError
from neodeskpet.mcp.mcp_errors import (
    REFUSED,
    SERVER_ENDED_TEXT,
    UNREADABLE_TEXT,
    HandshakeNeeded,
    McpError,
    ProgramMissing,
    ProgramUnknown,
    ServerEnded,
    ServerFailed,
    call_failure,
)
from neodeskpet.mcp.oauth_sign_in import sign_in_auth
from neodeskpet.mcp.server_environment import package_of, program_of
from neodeskpet.mcp.session_interface import (
    ConnectionListener,
    FormRequest,
    Json,
    OpenUrlRequest,
    Progress,
    PromptInfo,
    ResourceInfo,
    SamplingRequest,
    ServerLaunch,
    ServerListing,
    ToolInfo,
    UserAnswer,
)
from neodeskpet.platform.content_coding import ACCEPTED, CodingRefused, unpack_chunks

_PAGES = 50
_MOST = 2000
"""Most tools, resources or prompts of one server that are read."""
_LINE = 2000
_NO_BACK_CHANNEL = "no back-channel"
"""The SDK's error text if a tool sends a request to the client on a connection of 2026-07-28."""
_NOT_SAMPLED = "The request for a text of the model was denied."
_UNPACKED = 32 << 20
"""Most bytes of one unpacked answer."""
_LAST_WORDS = 1.0
"""Seconds to wait for the last output; a child process of the server may continue to write."""
_HEARD_AGAIN = 5.0
"""Seconds until a broken stream of changes is opened again."""

T = TypeVar("T")
P = TypeVar("P")


@asynccontextmanager
async def open_session(
    launch: ServerLaunch, watcher: ConnectionListener
) -> AsyncIterator[SdkSession]:
    """Connect to the server. Raises McpError; an error while it is open ends the block with
    McpError too. Enter and leave it in one task.
    """
    name = launch.config.name
    try:
        async with AsyncExitStack() as stack:
            session = SdkSession(name, watcher)
            transport = _WatchedTransport(await _transport(launch, watcher, stack), session.end)
            client = Client(
                cast("Any", transport),
                client_info=types.Implementation(name="NeoDeskPet", version="1"),
                elicitation_callback=session.elicit,
                list_roots_callback=session.list_roots,
                sampling_callback=session.sample,
                mode="legacy" if launch.handshake else "auto",
                logging_callback=session.on_log_message,
                message_handler=session.hear,
                cache=None,
            )
            session.client = await stack.enter_async_context(client)
            async with anyio.create_task_group() as group:
                group.start_soon(session.listen)
                yield session
                group.cancel_scope.cancel()
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise ServerEnded(name=name) from None  # the connection broke; we didn't cancel it
    except (Exception, BaseExceptionGroup) as error:
        raise _translate(error, name) from error


# Transports


class _WatchedTransport:
    """A transport that reports when the server's stream has ended."""

    def __init__(self, inner: Any, end: Callable[[], None]) -> None:
        self._inner = inner
        self._end = end

    async def __aenter__(self) -> tuple[Any, Any]:
        read, write = await self._inner.__aenter__()
        return _WatchedStream(read, self._end), write

    async def __aexit__(self, *raised: Any) -> bool | None:
        return cast("bool | None", await self._inner.__aexit__(*raised))


class _WatchedStream:
    def __init__(self, inner: Any, end: Callable[[], None]) -> None:
        self._inner = inner
        self._end = end

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        try:
            return await self._inner.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._end()
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _WatchedStream:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> _WatchedStream:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> bool | None:
        return cast("bool | None", await self._inner.__aexit__(*raised))


async def _transport(
    launch: ServerLaunch, watcher: ConnectionListener, stack: AsyncExitStack
) -> Any:
    config = launch.config
    if config.command:
        return await _stdio(launch, watcher, stack)
    known = any(name.casefold() == "authorization" for name in config.headers)
    auth = None if known else await sign_in_auth(launch, watcher)
    headers = {"Accept-Encoding": ACCEPTED} | dict(config.headers)
    if config.transport == "sse":
        return sse_client(config.url, headers, httpx_client_factory=_http_client, auth=auth)
    return _over_http(config.url, _http_client(headers, auth=auth))


def _http_client(
    headers: dict[str, str] | None = None,
    timeout: httpx2.Timeout | None = None,
    auth: httpx2.Auth | None = None,
) -> httpx2.AsyncClient:
    """Return the SDK's HTTP client with limits on unpacking, also for the sign-in."""
    client = create_mcp_http_client(headers, timeout, auth)
    client._transport = _UnpackingTransport(client._transport)
    client._mounts = {
        pattern: None if transport is None else _UnpackingTransport(transport)
        for pattern, transport in client._mounts.items()
    }
    return client


class _UnpackingTransport(httpx2.AsyncBaseTransport):
    """Unpacks answers, at most `_UNPACKED` bytes each."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        header = response.headers.pop("content-encoding", "")
        if header:
            response.headers.pop("content-length", None)
            response.stream = _UnpackedStream(
                cast("httpx2.AsyncByteStream", response.stream), header
            )
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _UnpackedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, header: str) -> None:
        self._inner = inner
        self._header = header

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in unpack_chunks(self._inner, self._header, _UNPACKED):
                yield piece
        except CodingRefused as error:
            raise httpx2.DecodingError(str(error)) from None

    async def aclose(self) -> None:
        await self._inner.aclose()


@asynccontextmanager
async def _over_http(url: str, client: httpx2.AsyncClient) -> AsyncIterator[Any]:
    async with client, streamable_http_client(url, http_client=client) as streams:
        yield streams


async def _stdio(launch: ServerLaunch, watcher: ConnectionListener, stack: AsyncExitStack) -> Any:
    config = launch.config
    path = launch.environment.get("PATH")
    if not any(mark in config.command for mark in "/\\") and not shutil.which(
        config.command, path=path
    ):
        raise _missing(config.name, config.command)
    words = await stack.enter_async_context(_words_pipe(watcher.log))
    return stdio_client(_parameters(launch), errlog=words)


def _parameters(launch: ServerLaunch) -> StdioServerParameters:
    config = launch.config
    return StdioServerParameters(
        command=str(Path(config.command).expanduser()),
        args=list(config.args),
        env=dict(launch.environment),
        cwd=Path(config.cwd).expanduser() if config.cwd else None,
        encoding_error_handler="replace",
    )


def _missing(name: str, command: str) -> ProgramMissing:
    program, package = program_of(command), package_of(command)
    if package:
        return ProgramMissing(name=name, program=program, package=package)
    return ProgramUnknown(name=name, program=program)


@asynccontextmanager
async def _words_pipe(log: Callable[[str], None]) -> AsyncIterator[TextIO]:
    """Yield a file for the server's stderr; a thread reads it line by line. The last output is read
    before the block ends.
    """
    reading, writing = os.pipe()

    def read() -> None:
        with os.fdopen(reading, "rb") as pipe:
            while line := pipe.readline(_LINE):
                log(line.decode("utf-8", "replace").rstrip())

    reader = threading.Thread(target=read, name="words of a server", daemon=True)
    reader.start()
    try:
        with os.fdopen(writing, "w") as file:
            yield file
    finally:
        await asyncio.to_thread(reader.join, _LAST_WORDS)


# The session


class SdkSession:
    """An `McpSession`."""

    client: Client

    def __init__(self, name: str, watcher: ConnectionListener) -> None:
        self.name = name
        self.watcher = watcher
        self.closed = False

    def end(self) -> None:
        """Mark the session as closed by the server."""
        self.closed = True
        self.watcher.end()

    # Requests to the server

    async def list(self) -> ServerListing:
        try:
            return await self._list()
        except Exception as error:
            raise _translate(error, self.name) from error

    async def _list(self) -> ServerListing:
        client, can = self.client, self.client.server_capabilities
        tools: Sequence[types.Tool] = ()
        resources: Sequence[types.Resource] = ()
        templates: Sequence[types.ResourceTemplate] = ()
        prompts: Sequence[types.Prompt] = ()
        if can.tools is not None:
            tools = await _all(client.list_tools, lambda page: page.tools)
        if can.resources is not None:
            resources = await _all(client.list_resources, lambda page: page.resources)
            with suppress(MCPError):  # many servers have none and don't support the request
                templates = await _all(
                    client.list_resource_templates, lambda page: page.resource_templates
                )
        if can.prompts is not None:
            prompts = await _all(client.list_prompts, lambda page: page.prompts)
        info = client.server_info
        return ServerListing(
            tuple(_tool(one) for one in tools),
            (*map(_resource, resources), *map(_template, templates)),
            tuple(_prompt(one) for one in prompts),
            f"{info.title or info.name} {info.version}".strip() if info else "",
        )

    async def call(self, tool: str, arguments: Json, told: Progress) -> Json:
        async def report(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            told(min(progress / total, 1.0) if total else None, message or "")

        async def ask() -> types.CallToolResult:
            return await self.client.call_tool(tool, dict(arguments), progress_callback=report)

        return _as_json(await self._guarded(ask))

    async def read(self, uri: str) -> Json:
        return _as_json(await self._guarded(lambda: self.client.read_resource(uri)))

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Json:
        return _as_json(await self._guarded(lambda: self.client.get_prompt(name, dict(arguments))))

    async def _guarded(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `ask`; errors become ToolFailed. A server may first require that the
        user visits an address.
        """
        try:
            try:
                return await ask()
            except MCPError as error:
                if not await self._visited(error):
                    raise
                return await ask()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise call_failure(SERVER_ENDED_TEXT, self.name) from None
        except MCPError as error:
            if error.code == types.CONNECTION_CLOSED:
                self.end()
                raise call_failure(SERVER_ENDED_TEXT, self.name) from error
            if _NO_BACK_CHANNEL in str(error):
                raise HandshakeNeeded(name=self.name) from error
            raise call_failure(REFUSED, self.name, _word(error)) from error
        except Exception as error:
            leaf = _leaf(error)
            if isinstance(leaf, KnownError):
                raise leaf from error
            raise call_failure(UNREADABLE_TEXT, self.name, _word(leaf)) from error

    async def _visited(self, error: MCPError) -> bool:
        """Return whether the server required visits to addresses and the user made all of them."""
        if error.code != types.URL_ELICITATION_REQUIRED:
            return False
        try:
            wanted = UrlElicitationRequiredError.from_error(error.error).elicitations
        except ValidationError:
            return False
        for one in wanted:
            answer = await self.watcher.ask(OpenUrlRequest(one.message, one.url))
            if not answer.accepted:
                return False
        return bool(wanted)

    # Notifications and requests of the server

    async def elicit(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        if isinstance(params, types.ElicitRequestURLParams):
            answer = await self.watcher.ask(OpenUrlRequest(params.message, params.url))
        else:
            schema = cast("Json", params.requested_schema)
            answer = await self.watcher.ask(FormRequest(params.message, schema))
        return _elicited(answer, isinstance(params, types.ElicitRequestFormParams))

    async def list_roots(self, context: ClientRequestContext) -> types.ListRootsResult:
        folders = self.watcher.roots()
        roots = [types.Root(uri=cast("Any", one.as_uri()), name=one.name) for one in folders]
        return types.ListRootsResult(roots=roots)

    async def sample(
        self, context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.ErrorData:
        """Answer a sampling request. The user is asked each time, even after earlier approvals."""
        question = _sampling(params)
        if question is None:
            return types.ErrorData(code=types.INVALID_REQUEST, message="Only text can be answered.")
        answer = await self.watcher.ask(question)
        if not answer.accepted:
            return types.ErrorData(code=types.INVALID_REQUEST, message=answer.why or _NOT_SAMPLED)
        text, model = str(answer.values.get("text", "")), str(answer.values.get("model", ""))
        content = types.TextContent(type="text", text=text)
        return types.CreateMessageResult(role="assistant", content=content, model=model)

    async def hear(self, message: Any) -> None:
        """Handle notifications, and output that isn't a valid message."""
        if isinstance(message, Exception):
            self.watcher.log(_noise(message))
        elif isinstance(
            message,
            types.ToolListChangedNotification
            | types.ResourceListChangedNotification
            | types.PromptListChangedNotification,
        ):
            self.watcher.change()

    async def on_log_message(self, params: types.LoggingMessageNotificationParams) -> None:
        said = params.data if isinstance(params.data, str) else repr(params.data)
        self.watcher.log(f"{params.level}: {said}"[:_LINE])

    async def listen(self) -> None:
        """Listen for changes that are sent as a stream (2026); older servers send notifications."""
        while True:
            try:
                async with self.client.listen(
                    tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
                ) as changes:
                    async for _ in changes:
                        self.watcher.change()
            except (ListenNotSupportedError, MCPError):
                return
            except (SubscriptionLost, TimeoutError):
                pass
            await asyncio.sleep(_HEARD_AGAIN)
            self.watcher.change()


def _sampling(params: types.CreateMessageRequestParams) -> SamplingRequest | None:
    """Return the request as text; None if it has other content."""
    messages: list[tuple[str, str]] = []
    for one in params.messages:
        blocks = one.content if isinstance(one.content, list) else [one.content]
        if not all(isinstance(block, types.TextContent) for block in blocks):
            return None
        texts = [block.text for block in blocks if isinstance(block, types.TextContent)]
        messages.append((str(one.role), "\n".join(texts)))
    return SamplingRequest(tuple(messages), params.system_prompt or "", params.max_tokens)


async def _all(ask: Callable[..., Awaitable[P]], read: Callable[[P], Sequence[T]]) -> list[T]:
    """Return all pages of a list."""
    found: list[T] = []
    cursor: str | None = None
    for _ in range(_PAGES):
        page = await ask(cursor=cursor)
        found += read(page)
        cursor = cast("Any", page).next_cursor
        if cursor is None or len(found) >= _MOST:
            break
    return found[:_MOST]


def _tool(tool: types.Tool) -> ToolInfo:
    hints = tool.annotations
    title = tool.title or (hints.title if hints else "") or ""
    claims = hints.model_dump_json(exclude_none=True) if hints else ""
    return ToolInfo(tool.name, tool.description or "", tool.input_schema, title, claims)


def _resource(one: types.Resource) -> ResourceInfo:
    return ResourceInfo(str(one.uri), one.name, one.description or "")


def _template(one: types.ResourceTemplate) -> ResourceInfo:
    return ResourceInfo(one.uri_template, one.name, one.description or "", template=True)


def _prompt(prompt: types.Prompt) -> PromptInfo:
    arguments = prompt.arguments or []
    return PromptInfo(
        prompt.name,
        prompt.description or "",
        tuple(one.name for one in arguments),
        frozenset(one.name for one in arguments if one.required),
    )


def _elicited(answer: UserAnswer, form: bool) -> types.ElicitResult:
    if answer.accepted is None:
        return types.ElicitResult(action="cancel")
    if not answer.accepted:
        return types.ElicitResult(action="decline")
    content = cast("Any", dict(answer.values)) if form else None
    return types.ElicitResult(action="accept", content=content)


def _as_json(result: Any) -> Json:
    return cast("Json", result.model_dump(mode="json", by_alias=True, exclude_none=True))


# Errors


def _translate(error: BaseException, name: str) -> McpError:
    leaf = _leaf(error)
    match leaf:
        case McpError():
            return leaf
        case FileNotFoundError() if leaf.filename:
            return _missing(name, str(leaf.filename))
        case MCPError() if leaf.code == types.CONNECTION_CLOSED:
            return ServerEnded(name=name)
        case asyncio.CancelledError():
            return ServerEnded(name=name)
        case _:
            return ServerFailed(_word(leaf), name=name)


def _leaf(error: BaseException) -> BaseException:
    """Return the most specific error of a group."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [_leaf(one) for one in error.exceptions]
    known = [one for one in leaves if isinstance(one, KnownError)]
    plain = [one for one in leaves if not isinstance(one, asyncio.CancelledError)]
    return (known or plain or leaves)[0]


def _word(error: BaseException) -> str:
    said = " ".join(str(error).split())
    kind = "" if isinstance(error, MCPError) else f"{type(error).__name__}: "
    return f"{kind}{said}"[:500].rstrip(": ")


def _noise(error: Exception) -> str:
    """Describe a line of output that isn't a message."""
    if isinstance(error, ValidationError):
        errors = error.errors(include_url=False, include_context=False)
        if errors and isinstance(errors[0]["input"], str):
            return errors[0]["input"][:_LINE]
    return _word(error)


for _noisy in ("mcp", "client", "httpx2", "httpcore2"):
    # The SDK logs each line that isn't a message with a traceback; the
    # the server's own log in the settings has these lines.
    logging.getLogger(_noisy).setLevel(logging.CRITICAL)
