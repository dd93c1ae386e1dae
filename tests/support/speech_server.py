"""An OpenAI-compatible speech service on loopback."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class SpeechServer:
    """Answers each POST with `status` and `pieces`, each sent separately. After them `end` is
    "complete", "cut" (the connection is closed although more was announced) or "hang" (nothing more
    is sent until the server closes).
    """

    def __init__(self) -> None:
        self.status = 200
        self.pieces = [b"\1\0\2", b"\0\3\0"]
        self.end = "complete"
        self._closing = threading.Event()
        self.requests: list[tuple[str, str, dict[str, Any]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.requests.append((self.path, self.headers.get("authorization", ""), body))
                self.send_response(outer.status)
                missing = 0 if outer.end == "complete" else 1000
                size = sum(map(len, outer.pieces)) + missing
                self.send_header("content-length", str(size))
                self.end_headers()
                for piece in outer.pieces:
                    self.wfile.write(piece)
                    self.wfile.flush()
                if outer.end == "hang":
                    outer._closing.wait(60)

            def log_message(self, format: str, *args: object) -> None:
                """Print nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
