from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from neodeskpet.core.errors import (
    BadReply,
    ContextTooLong,
    LlmError,
    NotFound,
    QuotaUsedUp,
    RateLimited,
    RequestRefused,
    ServiceFailed,
    ToolsUnsupported,
    Unauthorized,
)
from neodeskpet.language import set_language, translate_error
from neodeskpet.llm.protocols.provider_errors import (
    bad_reply,
    error_from_status,
    error_in,
    error_message,
    redact_key,
    refuses_pictures,
    reply_error,
    retry_after,
    says_tools_unsupported,
    status_in,
)


def fault(
    status: int, body: Any = "", headers: dict[str, str] | None = None, tools: bool = False
) -> LlmError:
    text = body if isinstance(body, str) else json.dumps(body)
    return error_from_status(status, headers or {}, text, tools=tools)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, RequestRefused), (401, Unauthorized), (402, QuotaUsedUp), (403, Unauthorized),
        (404, NotFound), (405, RequestRefused), (408, ServiceFailed), (413, ContextTooLong),
        (422, RequestRefused), (425, ServiceFailed), (429, RateLimited), (500, ServiceFailed),
        (502, ServiceFailed), (503, ServiceFailed), (504, ServiceFailed), (529, ServiceFailed),
        (301, BadReply),
    ],
)  # fmt: skip
def test_errors_by_status(status: int, kind: type[LlmError]) -> None:
    error = fault(status, {"error": {"message": "words", "code": "x"}})
    assert type(error) is kind
    assert error.status == status
    assert error.detail == "words"
    assert error.raw == {"message": "words", "code": "x"}
    assert "{" not in str(error)


def test_retryable_errors() -> None:
    retryable = {s for s in range(400, 600) if fault(s, "x").retryable}
    assert {408, 425, 429, 500, 502, 503, 504, 529} <= retryable
    assert not {400, 401, 403, 404, 413, 422} & retryable


def test_html_and_plain_text_show_their_first_500_characters() -> None:
    page = "<html>" + "x" * 1000
    assert fault(502, page).detail == page[:500]
    assert fault(400, "no json").detail == "no json"
    assert bad_reply(page).detail == page[:500]
    assert translate_error(bad_reply("  "))[0].endswith("The answer is empty.")


def test_the_title_of_a_web_page_is_shown_in_the_users_current_language() -> None:
    page = "<!DOCTYPE html>\n<html><head><title>502 Bad\n Gateway</title></head>nginx"
    failed = fault(502, page)
    assert translate_error(failed)[0] == (
        "The service has an internal error (HTTP 502). It says “502 Bad Gateway”."
    )
    assert failed.detail == page
    headed = fault(503, "<body><h1>No <b>server</b> &amp; more</h1>")
    assert headed.params["words"] == "No server & more"
    assert fault(504, "<html></html>").params["words"] == "504 Gateway Timeout"
    assert fault(599, "<html></html>").params["words"] == "599"
    failed_to_parse = "Failed to parse API response as JSON. Raw response: "
    assert (
        translate_error(bad_reply(f"<html>{'x' * 600}"))[0] == f"{failed_to_parse}<html>{'x' * 494}"
    )
    assert str(bad_reply("Bad gateway")) == f"{failed_to_parse}Bad gateway"
    set_language("zh_CN")
    try:
        assert "502 Bad Gateway" in translate_error(failed)[0]
        assert "It says" not in translate_error(failed)[0]
    finally:
        set_language("en")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (402, {"message": "Insufficient Balance"}),
        (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}),
        (400, {"message": "Your credit balance is too low to access the API."}),
        (403, {"message": "账户余额不足"}),
    ],
)
def test_an_exhausted_quota_is_not_retried(status: int, error: dict[str, str]) -> None:
    failed = fault(status, {"error": error})
    assert type(failed) is QuotaUsedUp
    assert not failed.retryable
    assert "Wait" not in translate_error(failed)[1]


def test_a_limit_per_minute_that_is_called_a_quota_is_retried() -> None:
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}
    error = {"message": "You exceeded your current quota", "details": [retry]}
    failed = fault(429, {"error": error})
    assert type(failed) is RateLimited
    assert failed.retry_after == 7


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "bad"}},
        {"error": "bad"},
        {"message": "bad"},
        {"detail": "bad"},
        {"detail": [{"loc": ["body"], "msg": "bad"}]},
        {"errors": [{"message": "bad"}]},
        {"error": {"error": {"message": "bad"}}},
        [{"error": {"message": "bad"}}],
        "bad",
    ],
)
def test_the_providers_message_is_found(body: Any) -> None:
    assert fault(400, body).detail == "bad"


def test_a_message_of_unknown_shape_is_shown_whole() -> None:
    assert error_message({"why": "?"}) == '{"why": "?"}'


def test_missing_fields_are_ignored() -> None:
    class Watched(dict[str, Any]):
        asked = 0

        def __contains__(self, key: object) -> bool:
            Watched.asked += 1
            return super().__contains__(key)

    inner = Watched(code=7, detail=None)
    assert error_message(Watched(error=inner)) == '{"error": {"code": 7, "detail": null}}'
    assert 0 < Watched.asked < 100
    assert error_message(None) == ""


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
        (400, "deepseek-reasoner does not support Function Calling"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'),
        (500, "tools param requires --jinja flag"),
        (404, "No endpoints found that support tool use. Try disabling \"x\"."),
        (400, "`tool calling` is not supported with this model"),
        (400, "Function calling is not enabled for models/gemma-3-27b-it"),
        (400, "Unrecognized request argument supplied: tools"),
        (400, "Unknown name \"tools\": Cannot find field."),
        (400, "functionDeclarations is not supported"),
        (400, "tool_choice is not supported by this model"),
        (400, "该模型不支持工具调用"),
        (501, "tools: not implemented"),
    ],
)  # fmt: skip
def test_tools_unsupported_by_status_and_message(status: int, words: str) -> None:
    body = {"error": {"message": words}}
    assert type(fault(status, body, tools=True)) is ToolsUnsupported
    assert type(fault(status, body, tools=False)) is not ToolsUnsupported


def test_a_signature_that_a_proxy_lost() -> None:
    words = "Function call is missing a thought_signature in functionCall parts."
    failed = fault(400, {"error": {"code": 400, "message": words}})
    assert type(failed) is ToolsUnsupported
    assert failed.detail == words
    assert "A proxy lost the signature" in translate_error(failed)[0]


def test_a_validation_error_that_names_tools() -> None:
    body = {"detail": [{"loc": ["body", "tools"], "msg": "extra fields not permitted"}]}
    assert type(fault(422, body, tools=True)) is ToolsUnsupported


@pytest.mark.parametrize(
    "words",
    [
        "An assistant message with 'tool_calls' must be followed by tool messages",
        "Invalid schema for function 'get_weather': 'oneOf' is not permitted.",
        "Tool choice is required, but model did not call a tool",
        "Invalid 'tools[0].function.name': string does not match pattern",
        "Unsupported parameter: 'max_tokens' is not supported with this model.",
        "The model is overloaded",
    ],
)
def test_tools_used_wrongly_are_not_unsupported(words: str) -> None:
    assert not says_tools_unsupported(words)
    assert type(fault(400, {"error": {"message": words}}, tools=True)) is RequestRefused


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 9000",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "the request exceeds the available context size, try increasing it",
        "Please reduce the length of the messages",
        "输入超过模型最大长度",
    ],
)
def test_context_too_long_by_message(words: str) -> None:
    assert type(fault(400, {"error": {"message": words}}, tools=True)) is ContextTooLong


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "unknown variant `image_url`, expected `text` at line 1 column 90"),
        (400, "Invalid content type. image_url is only supported by certain models."),
        (404, "No endpoints found that support image input"),
        (500, "image input is not supported - hint: you may need to provide the mmproj"),
        (400, "messages[1].content: Input should be a valid string; must be a string"),
        (422, "messages.0.content must be a string"),
        (400, "This model does not support vision"),
        (400, "该模型不支持图片输入"),
        (400, "invalid type: sequence, expected a string at line 1"),
    ],
)
def test_models_that_take_no_pictures(status: int, words: str) -> None:
    assert refuses_pictures(fault(status, {"error": {"message": words}}))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "image exceeds 5 MB maximum"),
        (400, "Could not process image"),
        (400, "tools are not supported"),
        (401, "image input is not supported"),
        (400, "messages: roles must alternate"),
    ],
)
def test_pictures_that_are_refused_themselves(status: int, words: str) -> None:
    assert not refuses_pictures(fault(status, {"error": {"message": words}}))


def test_no_error_contains_the_bytes_of_a_picture() -> None:
    data = "iVBORw0KGgo" + "Ab9+/" * 40 + "="
    for words in (f"bad url data:image/png;base64,{data} there", f"bad data '{data}'"):
        assert "Ab9" not in fault(400, {"error": {"message": words}}).detail
        assert "Ab9" not in fault(400, words).detail
        assert "Ab9" not in bad_reply(words).detail


def test_geminis_bad_key_is_a_400() -> None:
    details = [{"@type": "x.ErrorInfo", "reason": "API_KEY_INVALID"}]
    assert type(fault(400, {"error": {"message": "x", "details": details}})) is Unauthorized


NOW = datetime(2025, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "Wed, 01 Jan 2025 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 01 Jan 2025 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 01 Jan 2025 12:00:30 -0000"}, 30.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, None, NOW) == seconds


def test_geminis_retry_info() -> None:
    details = [
        {"@type": "x/QuotaFailure"},
        {"@type": "x/google.rpc.RetryInfo", "retryDelay": "21s"},
    ]
    body = {"error": {"code": 429, "message": "quota", "details": details}}
    assert fault(429, body).retry_after == 21.0
    assert fault(429, body, {"retry-after": "3"}).retry_after == 3.0


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": 429}, 429), ({"code": "503"}, 503), ({"status_code": 400}, 400),
        ({"type": "overloaded_error"}, 529), ({"status": "RESOURCE_EXHAUSTED"}, 429),
        ({"code": "rate_limit_exceeded"}, 429), ({"code": 7}, None), ("x", None), ({}, None),
    ],
)  # fmt: skip
def test_the_status_that_an_error_object_stands_for(error: Any, status: int | None) -> None:
    assert status_in(error) == status
    assert reply_error(error).status == status


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "x"}},
        {"error": "x"},
        {"object": "error", "message": "x"},
        {"message": "x", "code": 1001},
        {"message": "x", "code": "InvalidParameter"},
        {"message": "x", "statusCode": 500},
        {"message": "x", "status": "failed"},
        {"message": "x", "type": "invalid_request_error"},
        {"message": "x", "success": False},
        {"detail": "x"},
    ],
)
def test_error_objects_inside_a_reply(body: Any) -> None:
    assert error_in(body) is not None


@pytest.mark.parametrize(
    "body",
    [
        {"message": "queued", "status": "processing"},
        {"message": "hello", "code": 0},
        {"message": {"role": "assistant"}, "code": 1},
        {"message": "x"},
        {"error": None, "choices": []},
        {"detail": "x", "choices": []},
        {},
        [],
        None,
    ],
)
def test_other_objects_are_no_errors(body: Any) -> None:
    assert error_in(body) is None


def test_a_key_is_removed_from_foreign_text() -> None:
    assert redact_key("bad key sk-secret!", "sk-secret") == "bad key •••!"
    assert redact_key("a", "a") == "a"
    assert redact_key("a", "") == "a"
    key = "sk+marked/key"
    assert redact_key("?key=sk%2Bmarked%2Fkey&b", key) == "?key=•••&b"
    assert redact_key("?key=sk%2Bmarked/key", key) == "?key=•••"
    assert redact_key('the key "sk+marked', key) == 'the key "•••', "an excerpt ended within it"


@pytest.mark.parametrize(
    "words",
    [
        "tools 参数非法",
        "'tools' is not a valid parameter",
        "Invalid parameter: tools",
        "Please set --tool-call-parser to use tools",
        "Template error: 'tools' is undefined",
        "jinja2.exceptions.UndefinedError: 'tools' is undefined",
        "Les outils ne sont pas pris en charge par ce modèle.",
        "Ce modèle ne supporte pas les outils.",
        "このモデルはツールをサポートしていません。",
        "ツール呼び出しには対応していません",
    ],
)
@pytest.mark.parametrize("status", [400, 422, 500, 501])
def test_other_messages_that_tools_are_unsupported(words: str, status: int) -> None:
    body = json.dumps({"error": {"message": words}}, ensure_ascii=False)
    assert type(error_from_status(status, {}, body, tools=True)) is ToolsUnsupported
    assert type(error_from_status(status, {}, body, tools=False)) is not ToolsUnsupported


def test_a_wrong_use_of_tools_is_not_one_of_them() -> None:
    words = (
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message "
        "with 'tool_calls'."
    )
    body = json.dumps({"error": {"message": words}})
    assert type(error_from_status(400, {}, body, tools=True)) is RequestRefused
