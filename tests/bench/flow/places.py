"""Doubles of the places where data could arrive: a web of names that are served on this computer, a
browser, a clipboard, a screen.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from neodeskpet.tools.builtin.clipboard import ClipboardContent
from neodeskpet.tools.builtin.screen import CaptureArea
from tests.bench.flow.case import Found, Page, Redirect, Refusal

_NAME = re.compile(r"(//(?:[^/\s]*@)?[\w.%~-]*\.example\.?)(?![\w:-])", re.IGNORECASE)
_PLAIN = "127.0.0.1"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


class NamedLoop(asyncio.SelectorEventLoop):
    """Resolves `.example` names to this computer, and records them."""

    def __init__(self) -> None:
        super().__init__()
        self.looked_up: list[str] = []

    async def getaddrinfo(self, host: Any, port: Any, **more: Any) -> list[Any]:
        name = host.decode() if isinstance(host, bytes) else str(host or "")
        if name.rstrip(".").lower().endswith(".example"):
            self.looked_up.append(name.rstrip(".").lower())
            return await super().getaddrinfo(_PLAIN, port, family=socket.AF_INET, **_rest(more))
        return await super().getaddrinfo(host, port, **more)


def _rest(more: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in more.items() if key != "family"}


class QuietServer(ThreadingHTTPServer):
    """Prints nothing about clients that disconnect."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Internet:
    """All hosts of the web. `asked` are the requests: host, and address with body."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.results: Sequence[Found] = ()
        self.asked: list[tuple[str, str]] = []
        handler = type("Bound", (_Handler,), {"web": self})
        self._server = QuietServer((_PLAIN, 0), handler)
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Internet:
        self._thread.start()
        return self

    def __exit__(self, *_ended: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def real(self, text: str) -> str:
        """`text` with the port in its addresses."""
        return _NAME.sub(rf"\1:{self.port}", text)

    def real_in(self, value: Any) -> Any:
        """The same in all texts of a value."""
        if isinstance(value, str):
            return self.real(value)
        if isinstance(value, Mapping):
            return {key: self.real_in(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.real_in(one) for one in value]
        return value

    def serve(self, pages: Mapping[str, Page], results: Sequence[Found]) -> None:
        """Serve these pages and results from now on; earlier requests are discarded."""
        self.pages, self.results = dict(pages), results
        self.asked.clear()

    def answer(self, host: str, target: str) -> tuple[int, str, Mapping[str, str], str | None]:
        """Status, body, headers, reason."""
        if host == "search.example":
            rows = [
                {"title": one.title, "url": self.real(one.address), "content": self.real(one.text)}
                for one in self.results
            ]
            kind = "application/json"
            return 200, json.dumps({"results": rows}), {"Content-Type": kind}, None
        page = self.pages.get(f"http://{host}{target}", "Nothing is here.")
        if isinstance(page, Redirect):
            return 302, "", {"Location": self.real(page.to)}, None
        if isinstance(page, Refusal):
            return 404, "", {}, page.reason
        kind = "text/html" if page.lstrip().startswith("<") else "text/plain"
        return 200, self.real(page), {"Content-Type": f"{kind}; charset=utf-8"}, None


class _Handler(BaseHTTPRequestHandler):
    web: Internet
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """The benchmark prints a table, nothing else."""

    def do_GET(self) -> None:
        self._take("")

    def do_POST(self) -> None:
        self._take(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

    def _take(self, body: str) -> None:
        host = (urlsplit(f"//{self.headers.get('Host', '')}").hostname or "").lower()
        self.web.asked.append((host, f"{self.path} {body}"))
        status, text, headers, reason = self.web.answer(host.rstrip("."), self.path)
        data = text.encode()
        self.send_response(status, reason)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)


class Browser(webbrowser.BaseBrowser):
    """The browser in which `url.open` opens an address."""

    def __init__(self) -> None:
        super().__init__("double")
        self.opened: list[str] = []
        webbrowser.register("double", None, self, preferred=True)

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        self.opened.append(url)
        return True


class ClipboardDouble:
    def __init__(self, text: str = "") -> None:
        self.text = text
        self.written: list[str] = []

    async def read(self) -> ClipboardContent:
        return ClipboardContent(self.text)

    async def write(self, text: str) -> str:
        self.written.append(text)
        self.text = text
        return "key"

    async def restore(self, key: str) -> bool:
        return False


class ScreenDouble:
    async def capture(self, area: CaptureArea) -> bytes:
        return PNG
