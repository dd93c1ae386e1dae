"""Builds requests of Gemini's streamGenerateContent."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import assert_never
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolNames, ToolSpec
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ImagePart,
    ModelMessage,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.llm.protocols.gemini_schema import fit_parameters
from neodeskpet.llm.protocols.protocol import (
    HttpRequest,
    ModelOptions,
    as_dict,
    as_list,
    as_text,
    endpoint_url,
    read_opaque,
)

NAME = "gemini"
REFUSABLE = {
    "generationConfig.thinkingConfig": r"(?i)thinking",
    "generationConfig.temperature": r"\btemperature\b",
    "generationConfig.stopSequences": r"(?i)stop_?sequences",
    "generationConfig.maxOutputTokens": r"(?i)max_?output_?tokens",
}

_ROUTE = re.compile(r"/(?:models|tunedModels)(?:/[^/]*)?$|/openai$")
_BUDGETS = {"off": 0, "on": -1, "low": 1024, "medium": 8192, "high": 24576}
_LEVELS = {"off": "minimal", "low": "low", "medium": "medium", "high": "high"}

_UNSIGNED = "skip_thought_signature_validator"
"""The value that Google documents for a call without a signature, because another model made it."""

_ABLE = frozenset({"generateContent", "embedContent", "batchEmbedContents"})

_Part = dict[str, object]


def build_request(options: ModelOptions, prompt: ModelRequest) -> HttpRequest:
    """Build the POST request for one call."""
    names = ToolNames(spec.name for spec in prompt.tools)
    body: dict[str, object] = {
        "contents": _contents(prompt.messages, names, signed=_signs(options))
    }
    if prompt.system.strip():
        body["systemInstruction"] = {"parts": [{"text": prompt.system}]}
    if prompt.tools:
        body["tools"] = [{"functionDeclarations": [_tool(spec, names) for spec in prompt.tools]}]
        if prompt.tool_choice != "auto":
            body["toolConfig"] = {"functionCallingConfig": _tool_choice(prompt.tool_choice, names)}
    config = _config(options, prompt.stops)
    if config:
        body["generationConfig"] = config
    body.update(options.extra)
    name = options.model if "/" in options.model else f"models/{options.model}"
    method = "streamGenerateContent" if options.stream else "generateContent"
    query = {"alt": "sse"} if options.stream else {}
    url = address(options, f"/{quote(name)}:{method}", query)
    return HttpRequest("POST", url, headers(options), body)


def build_listing(options: ModelOptions) -> HttpRequest:
    """Build the GET request for the list of models."""
    return HttpRequest("GET", address(options, "/models", {"pageSize": "1000"}), headers(options))


def read_listing(body: object) -> list[str]:
    """Return the names of the models that generate content or vectors, sorted."""
    names = set()
    for row in map(as_dict, as_list(as_dict(body).get("models"))):
        methods = row.get("supportedGenerationMethods")
        if methods is None or _ABLE & {as_text(method) for method in as_list(methods)}:
            names.add(as_text(row.get("name")).removeprefix("models/"))
    return sorted(names - {""})


def address(options: ModelOptions, path: str, query: Mapping[str, str]) -> str:
    """Return the URL of `path`. A key that was pasted with the address is removed from it."""
    parts = urlsplit(options.base_url.strip().rstrip("/"))
    base = urlunsplit(parts._replace(path=_ROUTE.sub("", parts.path), query=""))
    kept = {k: v for k, v in parse_qsl(parts.query) if k not in ("key", "alt")}
    whole = urlsplit(endpoint_url(base, "/v1beta", path))
    return urlunsplit(whole._replace(query=urlencode(kept | dict(query))))


def headers(options: ModelOptions) -> dict[str, str]:
    """Return the headers: the key, as Gemini expects it, and the user's own headers."""
    key = options.key or dict(parse_qsl(urlsplit(options.base_url).query)).get("key", "")
    out: dict[str, str] = {}
    if key.startswith("ya29."):  # an access token, as Vertex AI requires
        out["Authorization"] = f"Bearer {key}"
    elif key:
        out["x-goog-api-key"] = key
    return out | dict(options.headers)


def _config(options: ModelOptions, stops: Sequence[str]) -> dict[str, object]:
    config: dict[str, object] = {}
    if options.max_tokens is not None:
        config["maxOutputTokens"] = options.max_tokens
    if options.temperature is not None:
        config["temperature"] = options.temperature
    if stops:
        config["stopSequences"] = list(stops)
    if options.thinking in _BUDGETS:
        config["thinkingConfig"] = _thinking(options)
    for place in options.dropped:
        config.pop(place.rpartition(".")[2].removesuffix("!"), None)
    return config


def _thinking(options: ModelOptions) -> dict[str, object]:
    """Set the thinking: Gemini 3 takes a level, older models a budget."""
    shown: dict[str, object] = {} if options.thinking == "off" else {"includeThoughts": True}
    if _signs(options) and options.thinking == "on":
        return shown  # the model decides how much
    if _signs(options):
        return shown | {"thinkingLevel": _LEVELS[options.thinking]}
    return shown | {"thinkingBudget": _BUDGETS[options.thinking]}


def _signs(options: ModelOptions) -> bool:
    """Return whether this is Gemini 3 or later, which signs its calls and refuses unsigned ones."""
    generation = re.search(r"gemini-(\d+)", options.model)
    return generation is None or int(generation.group(1)) >= 3


# Contents


def _contents(
    messages: Sequence[ModelMessage], names: ToolNames, *, signed: bool
) -> list[dict[str, object]]:
    """Convert the messages. `signed`: the calls since the last question must have a signature."""
    out: list[dict[str, object]] = []
    ids: dict[str, str] = {}  # our id of a call -> Gemini's own id, if it sent one
    asked = max((n for n, one in enumerate(messages) if isinstance(one, UserTurn)), default=-1)
    for number, message in enumerate(messages):
        match message:
            case UserTurn(parts=said):
                role, parts = "user", [part for one in said for part in _user_parts(one)]
            case AssistantTurn():
                ids |= _own_ids(message)
                role, parts = "model", _answered(message, names)
                if signed and number > asked:
                    _sign(parts)
            case ToolResults(results=results):
                role, parts = "user", [_result(result, names, ids) for result in results]
            case _:
                assert_never(message)
        if parts:
            out.append({"role": role, "parts": parts})
    return out


def _user_parts(part: TextPart | ImagePart) -> list[_Part]:
    if isinstance(part, TextPart):
        return [{"text": part.text}] if part.text else []
    if part.url:
        return [{"fileData": {"mimeType": part.media_type, "fileUri": part.url}}]
    if not part.data:
        return []
    data = base64.b64encode(part.data).decode("ascii")
    return [{"inlineData": {"mimeType": part.media_type, "data": data}}]


def _own_ids(turn: AssistantTurn) -> dict[str, str]:
    calls = [part for part in turn.parts if isinstance(part, CallPart)]
    ids = {call.call_id: as_dict(read_opaque(call.opaque, NAME)).get("id") for call in calls}
    return {ours: theirs for ours, theirs in ids.items() if isinstance(theirs, str)}


def _answered(turn: AssistantTurn, names: ToolNames) -> list[_Part]:
    parts: list[_Part] = []
    for part in turn.parts:
        match part:
            case TextPart(text=text):
                parts.append({"text": text})
            case ThinkingPart():
                _echo(parts, part)
            case CallPart():
                parts.append(_call(part, names))
            case _:
                assert_never(part)
    return parts


def _echo(parts: list[_Part], thinking: ThinkingPart) -> None:
    """Send a signature back with the part that it came with: a thought, an empty text, or the end
    of the previous text (which was a part of its own).
    """
    opaque = as_dict(read_opaque(thinking.opaque, NAME))
    if "thought" in opaque:
        parts.append(
            {"text": thinking.text, "thought": True, "thoughtSignature": opaque["thought"]}
        )
    elif "signature" in opaque:
        text = as_text(opaque.get("text"))
        before = as_text(parts[-1].get("text")) if parts else ""
        if text and parts and set(parts[-1]) == {"text"} and before.endswith(text):
            parts.pop()
            if before != text:
                parts.append({"text": before.removesuffix(text)})
        else:
            text = ""
        parts.append({"text": text, "thoughtSignature": opaque["signature"]})


def _call(call: CallPart, names: ToolNames) -> _Part:
    opaque = as_dict(read_opaque(call.opaque, NAME))
    function: dict[str, object] = {"name": names.wire(call.name), "args": dict(call.arguments)}
    if "id" in opaque:
        function["id"] = opaque["id"]
    part: _Part = {"functionCall": function}
    if "signature" in opaque:
        part["thoughtSignature"] = opaque["signature"]
    return part


def _sign(parts: Sequence[_Part]) -> None:
    """Add the signature to the first call of a round, or the value that replaces it."""
    first = next((part for part in parts if "functionCall" in part), None)
    if first is not None:
        first.setdefault("thoughtSignature", _UNSIGNED)


def _result(result: ResultPart, names: ToolNames, ids: Mapping[str, str]) -> _Part:
    response: dict[str, object] = {
        "name": names.wire(result.name),
        "response": {"result" if result.ok else "error": result.output},
    }
    if result.call_id in ids:
        response["id"] = ids[result.call_id]
    return {"functionResponse": response}


# Tools


def _tool(spec: ToolSpec, names: ToolNames) -> dict[str, object]:
    out: dict[str, object] = {"name": names.wire(spec.name), "description": spec.description}
    parameters = fit_parameters(spec.parameters)
    return out if parameters is None else out | {"parameters": parameters}


def _tool_choice(choice: str, names: ToolNames) -> dict[str, object]:
    match choice:
        case "none":
            return {"mode": "NONE"}
        case "required":
            return {"mode": "ANY"}
        case _:
            return {"mode": "ANY", "allowedFunctionNames": [names.wire(choice)]}
