"""Which protocol a reply looks like, when it isn't the one that was asked for."""

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
"""What people call the protocols; proper names, the same in every language."""

_ANTHROPIC = ("message_start", "content_block_start", "message_delta", "ping")


def detect_protocol(data: object) -> str:
    """The name of the protocol that the first event, or the whole body, is written in; "" if it is
    none that is known.
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
    """`error`, or what is wrong in truth: that `seen` is another protocol than `protocol`."""
    if not isinstance(error, BadReply | StreamBroken):
        return error
    other = detect_protocol(seen)
    if other in ("", protocol):
        return error
    return WrongProtocol(protocol=other, title=PROTOCOL_TITLES[other])
