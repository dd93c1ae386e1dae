"""An MCP server over HTTP that may require signing in first (OAuth 2)."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

TOOL = {
    "name": "shout",
    "description": "Say it loudly.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}


class WebServer:
    """`token` is the accepted one, "" for a server that is open to all. `asked` are the requested
    paths; `seen` the headers of the last call. Answers are compressed with `codings`, and `padding`
    bytes of an unused field are added to each.
    """

    def __init__(self, token: str = "") -> None:
        self.token = token
        self.refresh = "refresh-1"
        self.clients = 0
        self.codings: Sequence[str] = ()
        self.padding = 0
        self.asked: list[str] = []
        self.seen: dict[str, str] = {}
        handler = type("Bound", (_Handler,), {"web": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.origin}/mcp"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> WebServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    web: WebServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.web.asked.append(parts.path)
        origin = self.web.origin
        if parts.path.startswith("/.well-known/oauth-protected-resource"):
            self._answer({"resource": self.web.url, "authorization_servers": [origin]})
        elif parts.path.startswith("/.well-known/oauth-authorization-server"):
            self._answer(
                {
                    "issuer": origin,
                    "authorization_endpoint": f"{origin}/authorize",
                    "token_endpoint": f"{origin}/token",
                    "registration_endpoint": f"{origin}/register",
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                }
            )
        elif parts.path == "/authorize":
            given = {key: one[0] for key, one in parse_qs(parts.query).items()}
            back = urlencode({"code": "the-code", "state": given["state"]})
            self._answer({}, 302, {"Location": f"{given['redirect_uri']}?{back}"})
        else:
            self._answer({}, 405 if parts.path == "/mcp" else 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.web.asked.append(self.path)
        if self.path == "/register":
            self.web.clients += 1
            self._answer({**json.loads(body), "client_id": f"client-{self.web.clients}"}, 201)
        elif self.path == "/token":
            self._answer(
                {
                    "access_token": self.web.token,
                    "token_type": "Bearer",
                    "expires_in": 3600,
                    "refresh_token": self.web.refresh,
                }
            )
        elif self.web.token and self.headers.get("Authorization") != f"Bearer {self.web.token}":
            where = f"{self.web.origin}/.well-known/oauth-protected-resource/mcp"
            self._answer({}, 401, {"WWW-Authenticate": f'Bearer resource_metadata="{where}"'})
        else:
            self._message(json.loads(body))

    def do_DELETE(self) -> None:
        self._answer({})

    def _message(self, message: Mapping[str, Any]) -> None:
        if "id" not in message:
            self._answer({}, 202)
            return
        result: dict[str, Any]
        match message["method"]:
            case "initialize":
                result = {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "web", "version": "2"},
                }
            case "tools/list":
                result = {"tools": [TOOL]}
            case "tools/call":
                self.web.seen = dict(self.headers.items())
                words = str(message["params"]["arguments"]["text"]).upper()
                result = {"content": [{"type": "text", "text": words}]}
            case _:
                error = {"code": -32601, "message": "Method not found"}
                self._answer({"jsonrpc": "2.0", "id": message["id"], "error": error})
                return
        if self.web.padding:
            result["_meta"] = {"padding": "0" * self.web.padding}
        self._answer({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _answer(
        self, body: object, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for _ in self.web.codings:
            data = gzip.compress(data)
        if self.web.codings:
            self.send_header("Content-Encoding", ", ".join(self.web.codings))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
