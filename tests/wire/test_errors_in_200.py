"""Errors that services answer with status 200: written bodies, from their documents and from
reports; whole, as the first event of a stream and in the middle of a reply.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from neodeskpet.core.errors import (
    BadReply,
    LlmError,
    ReplyError,
)
from neodeskpet.core.wire import TextDelta
from neodeskpet.llm.protocols.body_reader import BodyReader
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from tests.support.providers import PROVIDERS
from tests.support.providers.provider import Say

BODIES: dict[str, tuple[dict[str, Any], str, int | None]] = {
    "MiniMax, the key": (
        {
            "id": "04a1",
            "choices": None,
            "created": 0,
            "model": "MiniMax-M2",
            "object": "",
            "usage": {"total_tokens": 0},
            "input_sensitive": False,
            "base_resp": {
                "status_code": 1004,
                "status_msg": "login fail: check the API secret key",
            },
        },
        "login fail",
        401,
    ),
    "MiniMax, too often": (
        {"base_resp": {"status_code": 1002, "status_msg": "rate limit exceeded(RPM)"}},
        "rate limit exceeded",
        429,
    ),
    "OpenAI's form": (
        {"error": {"message": "upstream error", "type": "server_error", "code": None}},
        "upstream error",
        500,
    ),
    "a bare sentence": ({"error": "no healthy upstream"}, "no healthy upstream", None),
    "Ollama's form": ({"error": "model 'qwen3' not found"}, "model 'qwen3' not found", None),
    "Zhipu, content": (
        {"error": {"code": "1301", "message": "系统检测到输入内容可能包含敏感内容"}},
        "系统检测到",
        None,
    ),
    "Zhipu, route": ({"code": 500, "msg": "404 NOT_FOUND", "success": False}, "404 NOT_FOUND", 500),
    "SiliconFlow": (
        {"code": 20012, "message": "Model does not exist.", "data": None},
        "Model does not exist.",
        None,
    ),
    "DashScope": (
        {"code": "InvalidApiKey", "message": "Invalid API-key provided.", "request_id": "7438"},
        "Invalid API-key",
        None,
    ),
    "Baidu": (
        {"error_code": 336100, "error_msg": "try again", "id": "as-bcm"},
        "try again",
        None,
    ),
    "Tencent": (
        {"Response": {"Error": {"Code": "AuthFailure", "Message": "签名错误"}, "RequestId": "1"}},
        "签名错误",
        None,
    ),
    "Xunfei": (
        {"header": {"code": 10013, "message": "input content audit failed", "sid": "s"}},
        "input content audit failed",
        None,
    ),
    "new-api": ({"success": False, "message": "无效的令牌"}, "无效的令牌", None),
    "one-api, a status": ({"status": 429, "message": "当前分组上游负载已饱和"}, "饱和", 429),
    "FastAPI": ({"detail": "Not authenticated"}, "Not authenticated", None),
    "vLLM, old": (
        {"object": "error", "message": "The model is gone.", "type": "NotFoundError", "code": 404},
        "The model is gone.",
        404,
    ),
    "Gemini's form": (
        {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}},
        "The model is overloaded.",
        503,
    ),
    "Anthropic's form": (
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        "Overloaded",
        529,
    ),
}
PAGES = (
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>x</body></html>",
    "<html>\n<head><title>Sign in · Proxy</title></head></html>",
)


def fault(protocol: str, *chunks: bytes) -> tuple[LlmError, str]:
    """Return the error of reading the chunks, and the text before it."""
    reader = BodyReader(PROTOCOLS[protocol].new_decoder())
    text = ""
    with pytest.raises(LlmError) as raised:
        for chunk in chunks:
            text += "".join(e.text for e in reader.feed(chunk) if isinstance(e, TextDelta))
        text += "".join(e.text for e in reader.end() if isinstance(e, TextDelta))
    return raised.value, text


@pytest.mark.parametrize("protocol", PROVIDERS)
@pytest.mark.parametrize("service", BODIES)
def test_it_is_an_error_with_the_services_message(protocol: str, service: str) -> None:
    body, words, status = BODIES[service]
    whole = json.dumps(body, ensure_ascii=False).encode()
    said = PROVIDERS[protocol]()
    parts = [*said.start(), *said.write(Say("Hel"), 1)]
    begun = b"".join(part for part in parts if isinstance(part, bytes))
    frame = b"data: " + whole + b"\n\n"
    for chunks in ([whole], [whole[:9], whole[9:], b"\n"], [frame], [frame, b"data: [DONE]\n\n"]):
        error, text = fault(protocol, *chunks)
        assert type(error) is ReplyError, chunks
        assert (words in error.detail, error.status, text) == (True, status, "")
    error, text = fault(protocol, begun, frame)
    assert type(error) is ReplyError
    assert (words in error.detail, text) == (True, "Hel")


@pytest.mark.parametrize("protocol", PROVIDERS)
@pytest.mark.parametrize("page", PAGES)
def test_a_web_page_is_no_reply(protocol: str, page: str) -> None:
    data = page.encode()
    for chunks in ([data], [data[:5], data[5:]]):
        error, _ = fault(protocol, *chunks)
        assert type(error) is BadReply
        assert str(error) == f"Failed to parse API response as JSON. Raw response: {page}"
