"""A model service in a process of its own that streams at a constant pace and reports when the
first and the last text of each reply was sent.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection

CHARS, PER_SECOND, DELTA = 20_000, 500, 8
SHORT = "short"
ENDS = "one page"
MARK = "█" * DELTA
"""The last text of a reply to `ENDS`. It is easy to find in a picture of a window."""
_PAGE_PARTS = 3
THINKING_SECONDS = 0.4

_PARTS = (
    "The forecast for tomorrow says **light rain** in the morning and 9 to 14 °C. Take an "
    "umbrella, and maybe a coat; the wind comes from the *north-east* at `3 Bft`.\n\n",
    "明天上海小雨转阴，气温九到十四度，东北风三级。**重点：**出门记得带伞，也要多穿一点衣服。\n\n",
    "1. Look at the sky\n2. Take the umbrella\n   - the blue one\n   - not the broken one\n"
    "3. Leave\n\n",
    "```python\nasync def umbrella(city: str) -> bool:\n    sky = await weather(city, day=1)\n"
    "    return sky.rain > 0.5  # bring it\n```\n\n",
    "| City | Weather | °C |\n|---|---|--:|\n| Shanghai | rain | 14 |\n| Berlin | grey | 4 |\n\n",
    "Rain falls with $v = \\sqrt{2gh}$ at most, and so\n\n$$\nx = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}"
    "{2a}\n$$\n\n",
    "> Whoever carries an umbrella is never surprised.\n\n## And then\n\n",
)


def reply(chars: int = CHARS) -> str:
    """Paragraphs, Chinese, lists, code, tables, formulas and quotes, with that many characters."""
    whole = "".join(_PARTS)
    return (whole * (chars // len(whole) + 1))[:chars]


def page() -> str:
    """A short reply that ends with `MARK`, in a delta of its own."""
    text = "".join(_PARTS[:3]) * _PAGE_PARTS
    return text + "\n" * (DELTA - len(text) % DELTA) + MARK


def silences(text: str) -> list[tuple[int, int]]:
    """Where the streamed text shows nothing yet: from the end of a block of code to the end of the
    second line of a table, which makes a table of the first.
    """
    found = re.finditer(r"\n```\n\n\|[^\n]*\n\|[-:|]*\n", text)
    return [(one.start(), one.end()) for one in found]


@contextmanager
def service() -> Iterator[tuple[str, Connection]]:
    """Its base URL, and a pipe with two times (`perf_counter`) for each reply: when its first text
    was sent, and its last. It answers a message of `SHORT` with few words after a pause, `ENDS`
    with a page whose last text is `MARK`, any other with `reply()`.
    """
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,))
    process.start()
    try:
        yield ours.recv(), ours
    finally:
        process.terminate()
        process.join(10)


def _serve(pipe: Connection) -> None:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self.send_error(404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = json.dumps(body["messages"][-1])
            short = SHORT in asked
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("Access-Control-Allow-Origin", "*")  # a page sends requests too
            self.end_headers()
            if short:
                time.sleep(THINKING_SECONDS)
            whole = "Hello there." if short else page() if ENDS in asked else reply()
            pieces = [whole[at : at + DELTA] for at in range(0, len(whole), DELTA)]
            begun = ended = time.perf_counter()
            pipe.send(begun)
            for number, piece in enumerate(pieces):
                time.sleep(max(0.0, begun + number * DELTA / PER_SECOND - time.perf_counter()))
                ended = time.perf_counter()
                self._event({"delta": {"content": piece}, "finish_reason": None})
            pipe.send(ended)
            self._event({"delta": {}, "finish_reason": "stop"})
            self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")

        def _event(self, choice: dict[str, object]) -> None:
            data = {
                "id": "x",
                "object": "chat.completion.chunk",
                "choices": [{"index": 0, **choice}],
            }
            self._chunk(f"data: {json.dumps(data)}\n\n".encode())

        def _chunk(self, content: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
            self.wfile.flush()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    pipe.send(f"http://127.0.0.1:{server.server_port}/v1")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Event().wait()
