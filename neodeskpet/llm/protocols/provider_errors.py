"""Converts error messages and HTTP statuses of providers to the app's errors. Pure: the client
passes in what it received.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, quote_plus

from neodeskpet.core.errors import (
    BadReply,
    ContextTooLong,
    LlmError,
    NotFound,
    QuotaUsedUp,
    RateLimited,
    ReplyError,
    RequestRefused,
    ServiceFailed,
    ToolsUnsupported,
    Unauthorized,
)
from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import MOST_BODY_DEPTH, read_json, repair_surrogates
from neodeskpet.llm.protocols.protocol import as_dict, as_list
from neodeskpet.llm.protocols.stream.sse import SseDecoder

EXCERPT_CHARACTERS = 500
"""Maximum characters of a response body that are shown to the user."""

NOT_JSON = N_("Failed to parse API response as JSON. Raw response:")
"""Only the text before these characters is used."""

_HIDDEN = "•••"
_SHORTEST_KEY = 6

RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504, 529})

_TYPES = {
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "RESOURCE_EXHAUSTED": 429,
    "overloaded_error": 529,
    "overloaded": 529,
    "UNAVAILABLE": 503,
    "timeout_error": 504,
    "DEADLINE_EXCEEDED": 504,
    "api_error": 500,
    "server_error": 500,
    "internal_server_error": 500,
    "INTERNAL": 500,
    "authentication_error": 401,
    "permission_error": 403,
}

_TOOL = re.compile(
    r"\btools?\b|\btool[_ -]?(?:choice|calls?|calling|use)\b|\bfunctions?\b"
    r"|\bfunction[_ -]?(?:calls?|calling|declarations?)\b|functionDeclarations"
    r"|工具|函数调用|\boutils?\b|\bfonctions?\b|ツール|関数",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(
    r"not (?:\w+ )?support|unsupported|(?:does|do|is|are)(?: not|n[o']t) (?:currently )?"
    r"(?:support|allow|accept|enable|available|permitted|implemented)"
    r"|not (?:enabled|available|permitted|allowed|implemented)|unrecognized|unknown"
    r"|unexpected|extra (?:fields|inputs)|cannot find field|requires --|without --|no endpoints"
    r"|不支持|未启用|参数非法|非法参数|无效参数|参数无效"
    r"|tools['\"`]* is (?:not a valid|undefined|not defined)|invalid param\w*:? ?['\"`]?tools\b"
    r"|call[ -_]parser|template (?:error|not found)|templateerror|undefinederror"
    r"|pas (?:pris(?:es?)? en charge|support|disponible)|(?:ne supporte|ne prend) pas"
    r"|サポート(?:されて|して)い(?:ない|ません)|対応して(?:いない|いません)|未対応|非対応|使用できません",
    re.IGNORECASE,
)
_TOOL_MISUSE = re.compile(
    r"schema|must be followed|tool_call_id|tool_use_id|tools[\[.]\d|functions[\[.]\d|did not call"
    r"|must be a response|validation failed|failed_generation|thought_?signature",
    re.IGNORECASE,
)
_LOST_SIGNATURE = re.compile(r"thought_?signature", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[_ ]?(?:length|window|size)|maximum context|prompt is too long|too many (?:input )?"
    r"tokens|input (?:is )?too long|token count.{0,40}exceed|exceeds? .{0,40}(?:context|token)"
    r"|reduce the length|request too large|上下文.{0,8}(?:超|过长)|超过.{0,12}长度",
    re.IGNORECASE,
)

_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|credit balance is too low|out of credits?"
    r"|exceeded your current quota|billing_hard_limit|billing_not_active|no credits? left"
    r"|(?:requires?|add|buy|purchase) more credits|quota (?:is )?(?:exhausted|used up)"
    r"|余额不足|欠费|额度(?:已)?(?:用完|用尽|不足)|账户余额|arrearage",
    re.IGNORECASE,
)
_PAGE = re.compile(
    r"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|h1)\b", re.I | re.S
)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(r"<h1[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")

_PICTURELESS = frozenset({400, 404, 415, 422, 500, 501})
_PICTURE = re.compile(
    r"\bimages?\b|image_?url|input_image|inline_?data|\bpictures?\b|\bvision\b|\bvisual\b"
    r"|multi-?modal|mmproj|图片|图像|视觉|多模态",
    re.IGNORECASE,
)
_PICTURE_MISUSE = re.compile(
    r"too large|too big|exceed|dimension|corrupt|could not (?:process|decode|download)"
    r"|invalid (?:base64|image data)|safety|media_?type",
    re.IGNORECASE,
)
_TEXT_ONLY = re.compile(
    r"content.{0,60}(?:(?:must|should) be a (?:valid )?string|expected a string)"
    r"|expected `?text`?\b|image(?:s|_url)? (?:is|are) only supported"
    r"|invalid type: sequence, expected a string|text[- ]only model",
    re.IGNORECASE,
)
_DATA = re.compile(  # after "base64,", or the beginning of a PNG or JPEG
    r"(?:base64,|\biVBORw0KGgo|(?<!\w)/9j/)[A-Za-z0-9+/]{40,}={0,2}"
)


_MARKS = (
    "errors",
    "detail",
    "error_msg",
    "error_code",
    "error_message",
    "errorMessage",
    "errorCode",
    "fault",
    "exception",
)
_MINIMAX = {1002: 429, 1004: 401, 1008: 402, 1039: 429, 1041: 429, 2049: 401, 2056: 429}
"""HTTP statuses for MiniMax's error numbers."""


def error_in(body: Any, answer_key: str = "choices") -> Any:
    """Return the error object inside a JSON reply, None if there is none. Most services put it
    under `error`; some send `{"message": …, "code": …}` without an answer.
    """
    if not isinstance(body, dict):
        return None
    if body.get("error"):
        return body["error"]
    if body.get("object") == "error":
        return body
    wrapped = _wrapped(body)
    if wrapped is not None or (answer_key and body.get(answer_key) is not None):
        return wrapped
    marked = any(body.get(key) for key in _MARKS)
    has_words = any(isinstance(body.get(key), str) for key in ("message", "msg"))
    return body if marked or (has_words and _looks_bad(body)) else None


def _wrapped(body: dict[str, Any]) -> dict[str, Any] | None:
    """Return the errors of services with their own format, which may come with an empty answer."""
    fields = as_dict(body.get("base_resp"))  # MiniMax
    if fields.get("status_code"):
        code = fields["status_code"]
        return {"code": _MINIMAX.get(code, code), "message": fields.get("status_msg"), **fields}
    fields = as_dict(as_dict(body.get("Response")).get("Error"))  # Tencent
    if fields:
        return {"code": fields.get("Code"), "message": fields.get("Message")}
    fields = as_dict(body.get("header"))  # Xunfei
    return fields if fields.get("code") and fields.get("message") else None


def _looks_bad(body: dict[str, Any]) -> bool:
    """Return whether the fields beside a message show that it is an error."""
    code = body.get("code")
    if code not in (None, "", 0, "0", 200, "200", "ok", "OK", "success"):
        return True
    status = body.get("status", body.get("statusCode"))
    if isinstance(status, int) and status >= 400:
        return True
    named = f"{body.get('type', '')} {status}".lower()
    return body.get("success") is False or "error" in named or "fail" in named


def error_message(error: Any) -> str:
    """Return the message inside a provider's error object of any shape, cut to EXCERPT."""
    return without_data(_find_words(error, 0)).strip()[:EXCERPT_CHARACTERS]


_WORDS = (
    "error",
    "message",
    "msg",
    "status_msg",
    "detail",
    "error_msg",
    "errors",
    "error_description",
    "error_message",
    "errorMessage",
    "fault",
    "faultstring",
    "exception",
)


def _find_words(error: Any, depth: int) -> str:
    if isinstance(error, str):
        return error
    if depth > 4:
        return ""
    if isinstance(error, list):
        found = [_find_words(item, depth + 1) for item in error[:3]]
        return "; ".join(words for words in found if words)
    fields = as_dict(error)
    for key in _WORDS:
        # Searching for missing fields would take thirteen look-ups at each depth.
        words = _find_words(fields[key], depth + 1) if key in fields else ""
        if words:
            return words
    return "" if depth or not error else json.dumps(error, ensure_ascii=False)


def status_in(error: Any) -> int | None:
    """Return the HTTP status that an error object inside HTTP 200 represents, if it names one."""
    fields = as_dict(error)
    for key in ("status_code", "code", "status", "statusCode"):
        value = fields.get(key)
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if isinstance(value, int) and 400 <= value <= 599:
            return value
    for key in ("type", "code", "status"):
        if isinstance(fields.get(key), str) and fields[key] in _TYPES:
            return _TYPES[fields[key]]
    return None


def reply_error(error: Any) -> ReplyError:
    """Make the error for an error object inside HTTP 200."""
    raw = repair_surrogates(error if isinstance(error, dict) else {"message": str(error)})
    return ReplyError(error_message(raw), status=status_in(raw), raw=raw)


def bad_reply(body: str) -> BadReply:
    """Make the error for a `body` that isn't a model's reply; the user sees its first
    characters.
    """
    text = without_data(repair_surrogates(body)).strip()
    if not text:
        return BadReply(reason=N_("The answer is empty."))
    try:
        read_json(text, depth=MOST_BODY_DEPTH)
    except ValueError:
        return BadReply(text[:EXCERPT_CHARACTERS], instead=NOT_JSON)
    return BadReply(text[:EXCERPT_CHARACTERS])


def reply_too_long(megabytes: int) -> BadReply:
    """A line of the reply, or all of it, is longer than any reply of a model."""
    return BadReply(reason=N_("A line of it is longer than {count} MB."), count=str(megabytes))


def too_many_values() -> BadReply:
    """A piece of the reply has more values than any reply of a model."""
    return BadReply(reason=N_("A piece of it holds more than any reply does."))


def error_from_status(
    status: int,
    headers: Mapping[str, str],
    text: str,
    *,
    tools: bool,
    now: datetime | None = None,
) -> LlmError:
    """Make the error for a response with a status other than 2xx. `text` is its body, `headers`
    have lower-case names, `tools` is whether the request offered any.
    """
    body = _json_in(text)
    error = error_in(body, answer_key="") if isinstance(body, dict) else body
    if isinstance(body, list) and body:  # Gemini without alt=sse
        error = error_in(body[0], answer_key="")
    raw = repair_surrogates(error if error is not None else body)
    words = error_message(raw) if raw else without_data(text).strip()[:EXCERPT_CHARACTERS]
    whole = words if raw is None else json.dumps(raw, ensure_ascii=False)
    wait = retry_after(headers, raw, now)
    kind = _kind(status, words, whole, tools)
    if _is_quota(status, words, whole, wait) and kind is not ToolsUnsupported:
        kind = QuotaUsedUp
    wait = wait if kind in (RateLimited, ServiceFailed) else None
    failed = kind(words, status=status, retry_after=wait, raw=raw)
    failed.params["status"] = str(status)  # fills `what`; as an argument it is the number
    if kind is ToolsUnsupported and _LOST_SIGNATURE.search(whole):
        failed.params["reason"] = N_("A proxy lost the signature of the thinking on the way.")
    elif raw is None and _is_page(words):
        failed.params["reason"] = N_("It says “{words}”.")
        failed.params["words"] = _title(text) or _phrase(status)
    return failed


def _json_in(text: str) -> Any:
    """Return the JSON of a body, also of the first event of a stream (some gateways send an error
    as an event); None if there is none.
    """
    sse = SseDecoder()
    data = text.encode("utf-8", "replace")
    for candidate in (text, *(event.data for event in (*sse.feed(data), *sse.end()))):
        with suppress(ValueError):
            return read_json(candidate, depth=MOST_BODY_DEPTH)
    return None


def _is_quota(status: int, words: str, whole: str, wait: float | None) -> bool:
    """Return whether the account has no credit left, so that waiting doesn't help. Gemini also says
    "quota" for a limit per minute, and then how long to wait.
    """
    if status == 402:
        return True
    return status in (400, 403, 429) and wait is None and bool(_QUOTA.search(f"{words} {whole}"))


def _is_page(text: str) -> bool:
    """Return whether a body is a web page: of a proxy or a hosting service, never of a model."""
    return _PAGE.match(text) is not None


def _title(page: str) -> str:
    """Return the title of a web page, else its first heading; "" if it has neither."""
    found = (part.search(page) for part in (_TITLE, _HEADING))
    texts = (unescape(_TAG.sub(" ", match[1])) for match in found if match is not None)
    return next((words for text in texts if (words := " ".join(text.split())[:80])), "")


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _kind(status: int, words: str, whole: str, tools: bool) -> type[LlmError]:
    if status in (401, 403) or (status == 400 and "API_KEY_INVALID" in whole):
        return Unauthorized
    if status == 429:
        return RateLimited
    if status == 400 and _LOST_SIGNATURE.search(whole):
        return ToolsUnsupported
    if tools and (status == 501 or 400 <= status <= 500) and says_tools_unsupported(whole):
        return ToolsUnsupported
    if status == 413 or (400 <= status <= 500 and status != 404 and _TOO_LONG.search(words)):
        return ContextTooLong
    if status == 404:
        return NotFound
    if status in RETRYABLE or status >= 500:
        return ServiceFailed
    if 300 <= status < 400:
        return BadReply
    return RequestRefused


def says_tools_unsupported(words: str) -> bool:
    """Return whether a provider's message means that it can't use native tools (not that they were
    used wrongly).
    """
    if _TOOL_MISUSE.search(words):
        return False
    return any(
        _TOOL.search(words, max(0, match.start() - 80), match.end() + 80)
        for match in _UNSUPPORTED.finditer(words)
    )


def refuses_pictures(error: LlmError) -> bool:
    """Return whether a service says that its model accepts no pictures (not that this one is
    invalid).
    """
    if error.status is not None and error.status not in _PICTURELESS:
        return False
    words = f"{error.detail} {json.dumps(error.raw, ensure_ascii=False, default=str)}"
    if _PICTURE_MISUSE.search(words):
        return False
    return _TEXT_ONLY.search(words) is not None or any(
        _PICTURE.search(words, max(0, match.start() - 80), match.end() + 80)
        for match in _UNSUPPORTED.finditer(words)
    )


def without_data(text: str) -> str:
    """Return `text` without the bytes of a picture that a service repeats."""
    return _DATA.sub("…", text)


def retry_after(
    headers: Mapping[str, str], error: Any = None, now: datetime | None = None
) -> float | None:
    """Return the seconds that the service asks to wait: `Retry-After` (seconds, a date), Gemini's
    RetryInfo.
    """
    millis = _number(headers.get("retry-after-ms", ""))
    if millis is not None:
        return millis / 1000
    said = headers.get("retry-after", "").strip()
    seconds = _number(said)
    if seconds is not None:
        return seconds
    if said:
        try:
            date = parsedate_to_datetime(said)
        except ValueError:
            date = None
        if date is not None:
            date = date if date.tzinfo else date.replace(tzinfo=UTC)
            return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
    for detail in as_list(as_dict(error).get("details")):
        if str(as_dict(detail).get("@type", "")).endswith("RetryInfo"):
            return _number(str(as_dict(detail).get("retryDelay", "")).removesuffix("s"))
    return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None


def redact_key(text: str, key: str) -> str:
    """Return `text` without the key, if a server repeats it: as it is, as addresses and JSON encode
    it, and its beginning where an excerpt was cut off within it.
    """
    if len(key) < _SHORTEST_KEY:
        return text
    for form in (key, *{quote(key, safe=""), quote(key), quote_plus(key), json.dumps(key)[1:-1]}):
        text = text.replace(form, _HIDDEN)
        for length in range(len(form) - 1, _SHORTEST_KEY - 1, -1):
            if text.endswith(form[:length]):
                text = text[:-length] + _HIDDEN
    return text
