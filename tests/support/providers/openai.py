"""The common part of OpenAI's two protocols."""

from __future__ import annotations

from typing import Any

from tests.support.providers.provider import KEY, Provider
from tests.support.providers.rules import check_key, need
from tests.support.sseserver import Request

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


class OpenAI(Provider):
    """`path` is the protocol's route."""

    model = "gpt-5-test"
    path: str

    def check_head(self, request: Request) -> None:
        check_key(request.headers, request.path, "authorization", f"Bearer {KEY}", KEY)
        need(request.path == self.path, "No such route", 404)
        need(request.headers.get("content-type") == "application/json", "Not JSON", 415)

    def error(self, words: str, status: int) -> dict[str, Any]:
        kind = "authentication_error" if status == 401 else "invalid_request_error"
        return {"error": {"message": words, "type": kind, "param": None, "code": None}}
