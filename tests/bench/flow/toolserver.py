"""A foreign MCP server (over HTTP) whose tools a benchmark sets, and which records its calls."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.bench.flow.places import QuietServer

Answer = Callable[[str, Mapping[str, Any]], tuple[str, bool]]
"""The answer to a call of a tool, and whether it failed."""

_ANYTHING = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("to", "text", "query", "id")},
}


def _nothing(name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
    return "", False


@dataclass(slots=True)
class Offered:
    """The present tools in the protocol's form, and the function that answers."""

    tools: Sequence[Mapping[str, Any]] = ()
    answer: Answer = _nothing
    calls: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)


def texts(
    answers: Mapping[str, str], schemas: Mapping[str, Mapping[str, object]] | None = None
) -> Offered:
    """Tools that answer each call with the same text; it fails if that begins with "!"."""
    tools = [
        {
            "name": name,
            "description": f"{name} of the desk",
            "inputSchema": (schemas or {}).get(name, _ANYTHING),
        }
        for name in answers
    ]
    return Offered(tools, lambda name, _arguments: (answers[name], answers[name].startswith("!")))


class ToolServer:
    def __init__(self) -> None:
        self.offered = Offered()
        handler = type("Bound", (_Handler,), {"tools": self})
        self._http = QuietServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/mcp"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,))

    def __enter__(self) -> ToolServer:
        self._thread.start()
        return self

    def __exit__(self, *_ended: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def entry(self, name: str) -> str:
        """Its entry in a table of servers."""
        return json.dumps({"mcpServers": {name: {"type": "http", "url": self.url}}})

    def result(self, method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        match method:
            case "initialize":
                return {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "flow", "version": "1"},
                }
            case "tools/list":
                return {"tools": list(self.offered.tools)}
            case "tools/call":
                name, arguments = params["name"], params.get("arguments") or {}
                self.offered.calls.append((name, arguments))
                text, failed = self.offered.answer(name, arguments)
                return {"content": [{"type": "text", "text": text}], "isError": failed}
            case _:
                return None


class _Handler(BaseHTTPRequestHandler):
    tools: ToolServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise each answer waits 40 ms for its second packet

    def log_message(self, format: str, *args: object) -> None:
        """The benchmark prints a table, nothing else."""

    def do_GET(self) -> None:
        self._send({}, 405 if self.path == "/mcp" else 404)

    def do_DELETE(self) -> None:
        self._send({})

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        if "id" not in message:
            self._send({}, 202)
            return
        result = self.tools.result(message["method"], message.get("params") or {})
        if result is None:
            error = {"code": -32601, "message": "Method not found"}
            self._send({"jsonrpc": "2.0", "id": message["id"], "error": error})
        else:
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _send(self, body: object, status: int = 200) -> None:
        data = json.dumps(body, default=str).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
