"""llmock, a fault server that others wrote, as a process: it speaks the protocols, breaks what it
is told to break, and judges how its client took it.

    with FaultServer() as faults:
        faults.next({"type": "reply", "text": "Hello."}, {"type": "fail", "status": 429})
        ...point the app at faults.url("anthropic")...
        assert faults.findings() == []
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import httpx

_PLACES = {
    "openai": "/v1",
    "openai-responses": "/v1",
    "anthropic": "/anthropic",
    "gemini": "/gemini",
}
_SERVE = """
import sys
from llmock.testing import LLMockServer
server = LLMockServer().start()
print(server.url, flush=True)
sys.stdin.read()
server.stop()
"""


class FaultServer:
    """Ends with its block, and with this process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._url = ""
        self._http = httpx.Client(trust_env=False, timeout=20)

    def __enter__(self) -> FaultServer:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self._url = self._process.stdout.readline().strip()
        assert self._url.startswith("http://127.0.0.1:"), "llmock didn't start"
        return self

    def __exit__(self, *failure: object) -> None:
        self._http.close()
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def url(self, protocol: str) -> str:
        return self._url + _PLACES[protocol]

    def next(self, *behaviors: dict[str, Any]) -> None:
        """Set the faults of the next requests."""
        answer = self._http.post(f"{self._url}/_llmock/scenario", json={"behaviors": behaviors})
        answer.raise_for_status()

    def reset(self) -> None:
        self._http.post(f"{self._url}/_llmock/reset").raise_for_status()

    def requests(self) -> list[dict[str, Any]]:
        """Every request so far, with the fault it got."""
        found: Any = self._http.get(f"{self._url}/_llmock/requests").json()
        return list(found["requests"] if isinstance(found, dict) else found)

    def findings(self) -> list[str]:
        """Return the violations of the client, in llmock's words."""
        verdict = self._http.get(f"{self._url}/_llmock/verdict").json()
        return [f"{found['severity']} {found['code']}" for found in verdict["findings"]]
