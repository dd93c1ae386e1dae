"""A model service on loopback that answers as a test scripts it: real TCP, HTTP/1.1, own thread.

    with ScriptedServer() as server:
        reply = server.reply(text("Hel"), HOLD, text("lo"), finish(), done())
        ...point the app at server.url (".../v1") and send a message...
        reply.wait_sent(1)            # "Hel" is on the wire, "lo" is not
        reply.release()               # the next HOLD lets go
        request = server.requests[0]  # .path, .headers, .body (parsed JSON), .closed_early

`server.reply(...)` queues one reply; each POST takes the next of the queue, and when it is empty
`server.fallback(request)` says what to send (by default a 500 that names the request). A reply is
a status, headers and parts; a part is bytes or str (sent at once, as one HTTP chunk), a dict
(sent as JSON), or one of

    HOLD         wait until `reply.release()`           Pause(s)   wait s seconds
    HANG         send nothing more, keep the socket     CUT        close in the middle of a chunk
    RESET        reset the connection (TCP RST)

`hold=True` puts a HOLD before every part. With `status` other than 200 or a dict as the only part
the content type is JSON, with SSE parts `text/event-stream`; `content_type` says another.
GET requests (model lists) are answered from `server.pages[path]`, else 404.

`server.validate` may be a function of the request body that returns what is wrong with it (then
the answer is a 400 with these words, as a provider's would be) or None; `check_history` is the
one for OpenAI's rule that calls and results are paired. `server.inspect` may be a function of the
whole request that answers in place of the queue, or returns None (see `tests/support/providers`).

Builders of chunks: `text`, `thinking`, `tool_call`, `finish`, `usage`, `done`, `error`, `event`.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class _Mark:
    name: str


HOLD = _Mark("hold")
HANG = _Mark("hang")
CUT = _Mark("cut")
RESET = _Mark("reset")

Part = bytes | str | dict[str, Any] | Pause | _Mark


# Builders of OpenAI chunks


def event(data: object, name: str = "") -> bytes:
    """One SSE event; `data` is JSON unless it is a str."""
    words = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return (f"event: {name}\n" if name else "").encode() + f"data: {words}\n\n".encode()


def chunk(delta: dict[str, Any], finish_reason: str | None = None, **extra: object) -> bytes:
    """One `chat.completion.chunk`."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return event({"id": "x", "object": "chat.completion.chunk", "choices": [choice], **extra})


def text(words: str) -> bytes:
    return chunk({"content": words})


def thinking(words: str) -> bytes:
    return chunk({"reasoning_content": words})


def tool_call(name: str = "", arguments: object = "", call_id: str = "", index: int = 0) -> bytes:
    """A delta of a tool call: whole if `arguments` is a dict, a piece if it is a str."""
    words = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    call: dict[str, Any] = {"index": index, "function": {"arguments": words}}
    if name:
        call["function"]["name"] = name
        call |= {"id": call_id or f"call_{name}_{index}", "type": "function"}
    elif call_id:
        call["id"] = call_id
    return chunk({"tool_calls": [call]})


def finish(reason: str = "stop") -> bytes:
    return chunk({}, reason)


def usage(prompt: int = 10, completion: int = 5) -> bytes:
    counts = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    return event({"id": "x", "object": "chat.completion.chunk", "choices": [], "usage": counts})


def done() -> bytes:
    return event("[DONE]")


def error(message: str, **fields: object) -> bytes:
    """An error object in the middle of a stream."""
    return event({"error": {"message": message, **fields}}, "error")


def check_history(body: Any) -> str | None:
    """OpenAI's rule: each call of an assistant message has exactly one result right after it."""
    waiting: dict[str, int] = {}
    for number, message in enumerate(body.get("messages", [])):
        if message.get("role") == "tool":
            call_id = message.get("tool_call_id")
            if waiting.pop(call_id, None) is None:
                return f"messages[{number}]: no call {call_id!r} waits for this result"
            continue
        if waiting:
            break
        waiting = {call["id"]: number for call in message.get("tool_calls") or []}
        if len(waiting) != len(message.get("tool_calls") or []):
            return f"messages[{number}]: two calls have the same id"
    return f"tool_call_ids did not have response messages: {sorted(waiting)}" if waiting else None


# The server


@dataclass(eq=False)
class Request:
    """One request. `body` is the parsed JSON (None if there was none). `closed_early` is set when
    the client closed the connection before the reply was complete; `closed_at` is then
    `time.monotonic()`. `ended` is set when the server has finished it.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    received_at: float
    closed_at: float | None = None
    closed_early: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)


class Reply:
    """A scripted reply; a test controls it step by step. Thread-safe."""

    def __init__(
        self,
        parts: Sequence[Part],
        status: int = 200,
        headers: dict[str, str] | None = None,
        content_type: str = "",
    ) -> None:
        self.parts = list(parts)
        self.status = status
        self.headers = headers or {}
        self.content_type = content_type or self._guess()
        self._turn = threading.Condition()
        self._begun = 0
        self._sent = 0
        self._free = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._freed: asyncio.Event | None = None

    def release(self, count: int = 1) -> None:
        """Release the next `count` HOLDs, now or when they are reached."""
        with self._turn:
            self._free += count
            if self._loop is not None and self._freed is not None:
                self._loop.call_soon_threadsafe(self._freed.set)

    def wait_sent(self, count: int, timeout: float = 60) -> None:
        """Return when `count` parts with content were sent; raises TimeoutError."""
        with self._turn:
            if not self._turn.wait_for(lambda: self._sent >= count, timeout):
                raise TimeoutError(f"{self._sent} of {count} parts were sent")

    @property
    def sent(self) -> int:
        """The number of sent parts with content, each counted just before it is sent: a reader of
        one finds it counted.
        """
        return self._begun

    def _guess(self) -> str:
        whole = len(self.parts) == 1 and isinstance(self.parts[0], dict)
        return "application/json" if whole or self.status != 200 else "text/event-stream"

    async def _pass_hold(self) -> None:
        with self._turn:
            if self._freed is None:
                self._loop, self._freed = asyncio.get_running_loop(), asyncio.Event()
            freed = self._freed
        while True:
            with self._turn:
                if self._free:
                    self._free -= 1
                    return
                freed.clear()
            await freed.wait()

    def _begin(self) -> None:
        self._begun += 1

    def _count(self) -> None:
        with self._turn:
            self._sent += 1
            self._turn.notify_all()


class ScriptedServer:
    """See the top of this file. `url` ends in `/v1`; `requests` are those with a body (POST)."""

    def __init__(self, validate: Callable[[Any], str | None] | None = None) -> None:
        self.validate = validate
        self.inspect: Callable[[Request], Reply | None] = lambda request: None
        self.requests: list[Request] = []
        self.pages: dict[str, Any] = {}
        self.fallback: Callable[[Request], Reply] = _unscripted
        self.port = 0
        self._queue: deque[Reply] = deque()
        self._loop = asyncio.new_event_loop()
        self._stopped: asyncio.Event | None = None
        self._ready = threading.Event()
        self._on_figure_ready = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="scripted server", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def reply(
        self,
        *parts: Part,
        status: int = 200,
        headers: dict[str, str] | None = None,
        content_type: str = "",
        hold: bool = False,
    ) -> Reply:
        """Queue one reply; return its handle."""
        script = [step for part in parts for step in (HOLD, part)] if hold else list(parts)
        reply = Reply(script, status, headers, content_type)
        if hold and len(parts) == 1 and isinstance(parts[0], dict) and not content_type:
            reply.content_type = "application/json"
        self._queue.append(reply)
        return reply

    def wait_request(self, count: int = 1, timeout: float = 60) -> Request:
        """Return the request with the number `count` (from 1) once it came; raises TimeoutError."""
        with self._on_figure_ready:
            if not self._on_figure_ready.wait_for(lambda: len(self.requests) >= count, timeout):
                raise TimeoutError(f"{len(self.requests)} of {count} requests came")
            return self.requests[count - 1]

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(60):
            raise TimeoutError("the scripted server didn't start")
        return self

    def __exit__(self, *failure: object) -> None:
        stopped = self._stopped
        if stopped is not None:
            self._loop.call_soon_threadsafe(stopped.set)
        self._thread.join(60)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._stopped = asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopped.wait()
        for listening in server.sockets:  # accepted clients are answered before it closes
            self._loop.remove_reader(listening)
        for _ in range(3):
            await asyncio.sleep(0)
        server.close()
        # Every task, not only those that have begun: one whose connection was just accepted would
        # otherwise be dropped with the loop, with a warning.
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._handle(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            # One that has closed by itself has no loop any more to end it on.
            if not writer.transport.is_closing() or writer.transport.get_write_buffer_size():
                writer.transport.abort()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await _read_request(reader)
        reply = self._choose(request)
        watch = self._loop.create_task(self._watch(reader, request))
        send = self._loop.create_task(_send(reply, writer))
        try:
            await asyncio.wait({send, watch}, return_when=asyncio.FIRST_COMPLETED)
            if not send.done():
                request.closed_at = time.monotonic()
                request.closed_early.set()
        finally:
            for task in (send, watch):
                task.cancel()
            await asyncio.gather(send, watch, return_exceptions=True)
            request.ended.set()

    def _choose(self, request: Request) -> Reply:
        if request.method == "GET":
            page = self.pages.get(request.path.partition("?")[0])
            if page is None:
                return Reply([{"error": {"message": "not found"}}], 404)
            return page if isinstance(page, Reply) else Reply([page])
        with self._on_figure_ready:
            self.requests.append(request)
            self._on_figure_ready.notify_all()
        wrong = self.validate(request.body) if self.validate else None
        if wrong:
            return Reply([{"error": {"message": wrong, "type": "invalid_request_error"}}], 400)
        refusal = self.inspect(request)
        if refusal is not None:
            return refusal
        return self._queue.popleft() if self._queue else self.fallback(request)

    @staticmethod
    async def _watch(reader: asyncio.StreamReader, request: Request) -> None:
        """Ends when the client closed the connection."""
        try:
            while await reader.read(1024):
                pass
        except ConnectionError:
            pass


def _unscripted(request: Request) -> Reply:
    return Reply([{"error": {"message": f"no reply is scripted for {request.path}"}}], 500)


async def _read_request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    body = json.loads(raw) if raw else None
    return Request(method, path, headers, body, time.monotonic())


async def _send(reply: Reply, writer: asyncio.StreamWriter) -> None:
    headers = {
        "Content-Type": reply.content_type,
        "Transfer-Encoding": "chunked",
        "Connection": "close",
    } | reply.headers
    lines = [f"HTTP/1.1 {reply.status} Scripted", *(f"{k}: {v}" for k, v in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    await writer.drain()
    for part in reply.parts:
        if part is HOLD:
            await reply._pass_hold()
        elif part is HANG:
            await asyncio.Event().wait()
        elif part is CUT:
            writer.write(b"ff\r\ndata: {")
            await writer.drain()
            writer.close()
            return
        elif part is RESET:
            _reset(writer)
            return
        elif isinstance(part, Pause):
            await asyncio.sleep(part.seconds)
        else:
            reply._begin()
            await _write_chunk(part, writer)
            reply._count()
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    writer.close()
    await writer.wait_closed()


async def _write_chunk(part: object, writer: asyncio.StreamWriter) -> None:
    if isinstance(part, dict):
        part = json.dumps(part, ensure_ascii=False)
    data = part.encode() if isinstance(part, str) else part
    assert isinstance(data, bytes)
    if data:
        writer.write(b"%x\r\n%b\r\n" % (len(data), data))
        await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with RST instead of FIN."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
