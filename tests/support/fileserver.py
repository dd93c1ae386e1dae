"""A file on loopback, served as well or as badly as a test needs it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class FileServer:
    """`ranges`: whether it supports ranges; `cuts`: after how many bytes it breaks off, one for
    each request; `digest` is sent with a redirect, as the hub does; `asked` are the ranges.
    """

    data: bytes
    url: str = ""
    ranges: bool = True
    status: int = 200
    digest: str = ""
    cuts: list[int] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@contextmanager
def file_server(data: bytes) -> Iterator[FileServer]:
    made = FileServer(data)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            if self.path != "/there":
                self.send_response(302)
                self.send_header("Location", "/there")
                if made.digest:
                    self.send_header("X-Linked-ETag", f'"{made.digest}"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            wanted = self.headers.get("Range", "")
            made.asked.append(wanted)
            start = int(wanted[6:-1]) if wanted and made.ranges else 0
            body = made.data[start:]
            self.send_response(206 if start else made.status)
            if start:
                whole = len(made.data)
                self.send_header("Content-Range", f"bytes {start}-{whole - 1}/{whole}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            cut = made.cuts.pop(0) if made.cuts else len(body)
            self.wfile.write(body[:cut])
            self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}/file"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
