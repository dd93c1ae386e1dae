"""Services with answers that no service should send, byte by byte, on loopback."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, open_app
from neodeskpet.core.blocks import MessageState
from tests.bench.hostile.case import Case, Scene, Wrong
from tests.bench.hostile.turns import history
from tests.support.desk import settle
from tests.support.sseserver import chunk, done, finish, text, thinking, tool_call

_MIB = 1 << 20
_TIMEOUT = 60.0
_SETTLE = 2.0

Answer = Callable[[], Iterator[bytes]]
"""The whole answer, from the status line on; then the connection is closed."""

_STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n"
_JSON = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n"


@contextmanager
def _service(answer: Answer) -> Iterator[str]:
    """Yields the address of a service that answers each request like this."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=_serve, args=(door, answer), daemon=True).start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}/v1"


def _serve(door: socket.socket, answer: Answer) -> None:
    while True:
        try:
            connection, _ = door.accept()
        except OSError:
            return
        threading.Thread(target=_answer, args=(connection, answer), daemon=True).start()


def _answer(connection: socket.socket, answer: Answer) -> None:
    with connection, suppress(OSError):
        connection.settimeout(_TIMEOUT)
        _take_request(connection)
        for part in answer():
            connection.sendall(part)


def _take_request(connection: socket.socket) -> None:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    head, _, body = data.partition(b"\r\n\r\n")
    [length] = [
        int(line.split(b":")[1])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length")
    ] or [0]
    while len(body) < length:
        body += connection.recv(65_536)


def _streamed(*parts: bytes, head: bytes = _STREAM) -> Answer:
    return lambda: iter((head + b"\r\n", *parts))


def _whole(body: bytes, head: bytes = _JSON) -> Answer:
    length = b"content-length: %d\r\n\r\n" % len(body)
    return lambda: iter((head + length, body))


_END = finish() + done()


def _gzip_bomb() -> Iterator[bytes]:
    """A gigabyte of zeros in a megabyte."""
    yield _STREAM + b"content-encoding: gzip\r\n\r\n"
    zeros = gzip.compress(bytes(_MIB))
    for _ in range(1_024):
        yield zeros


def _flood(part: bytes, count: int, first: bytes = b"") -> Answer:
    def send() -> Iterator[bytes]:
        yield _STREAM + b"\r\n" + first
        for _ in range(count):
            yield part
        yield _END

    return send


def _headers() -> Iterator[bytes]:
    yield _STREAM
    for number in range(1_000):
        yield b"x-%d: %s\r\n" % (number, b"a" * 1_000)
    yield b"\r\n" + text("Hello.") + _END


def _numbers() -> bytes:
    """An event with a list of ten million numbers in an unused field."""
    return b'data: {"choices":[],"more":[' + b"0," * (10 * _MIB) + b"0]}\n\n"


def _objects() -> bytes:
    return b'data: {"choices":[],"more":[' + b"{}," * (4 * _MIB) + b"{}]}\n\n"


def _reply(content: str) -> bytes:
    message = {"role": "assistant", "content": content}
    body = {"id": "x", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    return json.dumps(body).encode()


def _calls(count: int) -> bytes:
    calls = [
        {"index": n, "id": f"c{n}", "function": {"name": "time_now", "arguments": "{}"}}
        for n in range(count)
    ]
    return chunk({"tool_calls": calls})


def _refused(body: bytes) -> Answer:
    head = b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\n"
    return _whole(body, head)


_ANSWERS: dict[str, Callable[[], Answer]] = {
    "an event of 10 MB": lambda: _streamed(text("word and more " * 700_000), _END),
    "an event of 1.9 MB": lambda: _streamed(text("word and more " * 138_000), _END),
    "an event of 1.8 MB in Chinese": lambda: _streamed(text("明天上海小雨" * 100_000), _END),
    "an event of 1.9 MB of tags": lambda: _streamed(text("<think></think>" * 128_000), _END),
    "thoughts of 1.9 MB in one event": lambda: _streamed(thinking("word, more " * 175_000), _END),
    "arguments of 1.9 MB in one event": lambda: _streamed(
        tool_call("note_add", {"text": "word, more " * 175_000}), finish("tool_calls"), done()
    ),
    "a line without an end, 64 MB": lambda: _flood(b"a" * _MIB, 64, b"data: "),
    "a comment of 64 MB": lambda: _flood(b":" * _MIB, 64),
    "two million comments": lambda: _flood(b": ping\n\n" * 20_000, 100),
    "two million empty events": lambda: _flood(b"data: {}\n\n" * 20_000, 100),
    "200,000 pieces of a letter": lambda: _flood(text("a") * 2_000, 100),
    "an event with ten million numbers": lambda: _streamed(_numbers(), _END),
    "an event with four million objects": lambda: _streamed(_objects(), _END),
    "50,000 calls in one event": lambda: _streamed(_calls(50_000), _END),
    "1,000 calls in one event": lambda: _streamed(_calls(1_000), _END),
    "headers of 1 MB": lambda: _headers,
    "a gzip bomb of 1 GB": lambda: _gzip_bomb,
    "a length that is too long": lambda: (
        lambda: iter((_STREAM + b"content-length: 99999999\r\n\r\n" + text("Hello.") + _END,))
    ),
    "a length that is too short": lambda: (
        lambda: iter((_STREAM + b"content-length: 20\r\n\r\n" + text("Hello.") + _END,))
    ),
    "a length that is no number": lambda: (
        lambda: iter((_STREAM + b"content-length: -1\r\n\r\n" + text("Hello.") + _END,))
    ),
    "another protocol": lambda: (
        lambda: iter(
            (b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n" + b"\x81\x7e" * 999,)
        )
    ),
    "a whole reply of 30 MB": lambda: _whole(_reply("word and more " * 2_100_000)),
    "a whole reply of 1.9 MB": lambda: _whole(_reply("word and more " * 138_000)),
    "a body of 30 MB of brackets": lambda: _whole(b"[" * (30 * _MIB)),
    "a refusal of 50 MB": lambda: _refused(b'{"error":{"message":"' + b"no " * 16_000_000 + b'"}}'),
    "no HTTP at all": lambda: lambda: iter((b"\x00\xff" * _MIB,)),
}
"""Made on demand: they are megabytes, which don't belong to the app."""


async def _talk(make: Callable[[], Answer], scene: Scene) -> str:
    """A turn ends, with or without an answer, and so does the next."""
    home = scene.folder / "home"
    settle(home, {"mode": {"mode": "native"}})
    with _service(make()) as url:
        service = RunOptions(base_url=url, model="test-model")
        options = StartOptions(home, service, single_instance=False, hidden=True)
        desk = await open_app(scene.app, options)
        desk.chat.window.present()
        await asyncio.sleep(_SETTLE)
        scene.begin()
        try:
            states = []
            for words in ("go", "and now?"):
                desk.engine.chat.send(words)
                await asyncio.wait_for(desk.engine.chat.wait_idle(), _TIMEOUT)
                await asyncio.sleep(_SETTLE)
                states.append((await history(desk))[-1].state)
        except TimeoutError:
            raise Wrong("the turn doesn't end") from None
        finally:
            await desk.aclose()
    if MessageState.RUNNING in states:
        raise Wrong(f"{states}")
    return ", then ".join(states)


CASES = [Case(f"a service: {name}", partial(_talk, made)) for name, made in _ANSWERS.items()]
