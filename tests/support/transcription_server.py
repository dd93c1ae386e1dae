"""An OpenAI-compatible transcription service on loopback."""

from __future__ import annotations

import threading
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class TranscriptionServer:
    """Answers each POST with `body` and `status`, and keeps what it received."""

    def __init__(self) -> None:
        self.status = 200
        self.body = '{"text": " Hello there. "}'
        self.paths: list[str] = []
        self.authorizations: list[str] = []
        self.forms: list[dict[str, Message]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                whole = f"Content-Type: {self.headers['content-type']}\r\n\r\n".encode() + raw
                outer.paths.append(self.path)
                outer.authorizations.append(self.headers.get("authorization", ""))
                outer.forms.append(
                    {
                        str(part.get_param("name", header="content-disposition")): part
                        for part in message_from_bytes(whole).walk()
                        if not part.is_multipart()
                    }
                )
                answer = outer.body.encode()
                self.send_response(outer.status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: object) -> None:
                """Print nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
