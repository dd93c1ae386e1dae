"""A small MCP server (over stdio) that can misbehave; it doesn't use the SDK.

Run as a program: `mcpserver.py [MODE]`. Modes: `dies` at the start, `mute` never answers, `noisy`
writes invalid messages, `few` has fewer tools. Without one it answers as a server of 2025 does.
"""

import base64
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PNG = base64.b64encode(
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
        "gg=="
    )
).decode()

TEXT = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"text": TEXT}}
WISHES = {
    "type": "object",
    "properties": {"city": {**TEXT, "title": "City"}, "nights": {"type": "integer"}},
    "required": ["city"],
}


def command(*words: str) -> dict[str, Any]:
    """Return the command that starts it, as a table of servers has it."""
    return {"command": sys.executable, "args": [str(Path(__file__)), *words]}


def main(mode: str) -> None:
    if mode == "dies":
        print("no licence found", file=sys.stderr, flush=True)
        sys.exit(3)
    if mode == "noisy":
        print("Listening on stdio\n{not json}", flush=True)
        sys.stdout.buffer.write("中文提示\n".encode("gbk"))
        sys.stdout.flush()
    server = Server(few=mode == "few")
    for line in sys.stdin:
        if mode != "mute":
            server.take(json.loads(line))


class Server:
    def __init__(self, *, few: bool) -> None:
        self._lock = threading.Lock()
        self._cancelled: set[object] = set()
        self._answers: dict[object, Any] = {}
        self._tools = [
            "echo",
            "slow",
            "picture",
            "fail",
            "die",
            "wish",
            "grow",
            "gbk",
            "env",
            "hang",
        ]
        if few:
            self._tools = ["echo", "slow", "die", "wish"]

    def send(self, **message: object) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(data)

    def write(self, data: bytes) -> None:
        with self._lock:
            sys.stdout.buffer.write(data + b"\n")
            sys.stdout.flush()

    def take(self, message: Mapping[str, Any]) -> None:
        method, number = message.get("method"), message.get("id")
        if method is None:
            self._answers[number] = message.get("result", {})
        elif method == "notifications/cancelled":
            self._cancelled.add(message["params"]["requestId"])
            print(f"cancelled {message['params']['requestId']}", file=sys.stderr, flush=True)
        elif method == "tools/call":
            threading.Thread(
                target=self._call, args=(number, message["params"]), daemon=True
            ).start()
        elif number is not None:
            self._answer(number, str(method), message.get("params") or {})

    def _answer(self, number: object, method: str, params: Mapping[str, Any]) -> None:
        result: dict[str, Any] = {}
        match method:
            case "initialize":
                can = {"tools": {"listChanged": True}, "resources": {}, "prompts": {}}
                result = {
                    "protocolVersion": "2025-06-18",
                    "capabilities": can,
                    "serverInfo": {"name": "small", "version": "1.0"},
                }
            case "tools/list":
                tools = [
                    {"name": name, "description": name, "inputSchema": SCHEMA}
                    for name in self._tools
                ]
                result = {"tools": tools}
            case "resources/list":
                result = {"resources": [{"uri": "memo://one", "name": "One"}]}
            case "resources/templates/list":
                result = {"resourceTemplates": []}
            case "resources/read":
                result = {"contents": [{"uri": params["uri"], "text": f"in {params['uri']}"}]}
            case "prompts/list":
                result = {
                    "prompts": [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]
                }
            case "prompts/get":
                words = f"Greet {params['arguments']['who']}"
                message = {"role": "user", "content": {"type": "text", "text": words}}
                result = {"messages": [message]}
            case _:
                self.send(id=number, error={"code": -32601, "message": "Method not found"})
                return
        self.send(id=number, result=result)

    # Tools

    def _call(self, number: object, params: Mapping[str, Any]) -> None:
        name, given = params["name"], params.get("arguments") or {}
        token = (params.get("_meta") or {}).get("progressToken")
        act: Callable[..., Any] = getattr(self, f"_{name}")
        content = act(number, given, token)
        if content is not None:
            failed = name == "fail"
            parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
            self.send(id=number, result={"content": parts, "isError": failed})

    def _echo(self, number: object, given: Mapping[str, Any], token: object) -> str:
        return str(given.get("text", ""))

    def _slow(self, number: object, given: Mapping[str, Any], token: object) -> str | None:
        for step in range(1, 1001):
            if number in self._cancelled:
                return None
            params = {
                "progressToken": token,
                "progress": step,
                "total": 1000,
                "message": f"step {step}",
            }
            self.send(method="notifications/progress", params=params)
            time.sleep(0.02)
        return "slowly done"

    def _picture(self, number: object, given: Mapping[str, Any], token: object) -> list[Any]:
        return [{"type": "image", "data": PNG, "mimeType": "image/png"}]

    def _fail(self, number: object, given: Mapping[str, Any], token: object) -> str:
        return "there is no such city"

    def _die(self, number: object, given: Mapping[str, Any], token: object) -> None:
        print("segmentation fault, nearly", file=sys.stderr, flush=True)
        os._exit(11)

    def _wish(self, number: object, given: Mapping[str, Any], token: object) -> str:
        params = {"message": "Where to?", "requestedSchema": WISHES}
        self.send(id=f"wish {number}", method="elicitation/create", params=params)
        while f"wish {number}" not in self._answers:
            time.sleep(0.01)
        return json.dumps(self._answers[f"wish {number}"])

    def _grow(self, number: object, given: Mapping[str, Any], token: object) -> str:
        self._tools.append(str(given.get("text", "newcomer")))
        self.send(method="notifications/tools/list_changed")
        return "grown"

    def _gbk(self, number: object, given: Mapping[str, Any], token: object) -> None:
        result = {"content": [{"type": "text", "text": "天气"}]}
        message = {"jsonrpc": "2.0", "id": number, "result": result}
        self.write(json.dumps(message, ensure_ascii=False).encode("gbk"))

    def _env(self, number: object, given: Mapping[str, Any], token: object) -> str:
        return json.dumps(dict(os.environ))

    def _hang(self, number: object, given: Mapping[str, Any], token: object) -> None:
        return None


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
