"""Detects the protocol of a reply that isn't in the requested one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neodeskpet.core.errors import BadReply, LlmError, StreamBroken, WrongProtocol

PROTOCOL_TITLES = {
    "openai": "OpenAI chat/completions",
    "openai-responses": "OpenAI responses",
    "anthropic": "Anthropic",
    "gemini": "Google Gemini",
}
"""The common names of the protocols; proper names, the same in every language."""

_ANTHROPIC = ("message_start", "content_block_start", "message_delta", "ping")


def detect_protocol(data: object) -> str:
    """Return the name of the protocol of the first event, or of the complete body; "" if it is
    unknown.
    """
    if isinstance(data, list):
        data = data[0] if data else None
    if not isinstance(data, dict):
        return ""
    kind = data.get("type")
    kind = kind if isinstance(kind, str) else ""
    if kind.startswith("response.") or data.get("object") == "response":
        return "openai-responses"
    if kind in _ANTHROPIC or (kind == "message" and "content" in data):
        return "anthropic"
    if "choices" in data:
        return "openai"
    return "gemini" if "candidates" in data else ""


def explain_wrong_protocol(
    error: LlmError, protocol: str, seen: Mapping[str, Any] | object
) -> LlmError:
    """Return `error`, or the error that explains it: that `seen` is another protocol than
    `protocol`.
    """
    if not isinstance(error, BadReply | StreamBroken):
        return error
    other = detect_protocol(seen)
    if other in ("", protocol):
        return error
    return WrongProtocol(protocol=other, title=PROTOCOL_TITLES[other])
