"""Gemini streamGenerateContent, of the generation that signs its calls."""

from __future__ import annotations

import re
from typing import Any

from tests.support.providers.provider import KEY, Call, Provider, Say, Think
from tests.support.providers.rules import canonical, check_key, digest, need, only, pieces
from tests.support.sseserver import Part, Request, event

_FIELDS = (
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
)
_CONFIG = (
    "maxOutputTokens",
    "temperature",
    "topP",
    "topK",
    "stopSequences",
    "candidateCount",
    "seed",
    "thinkingConfig",
    "responseModalities",
    "responseMimeType",
    "responseSchema",
)
_PARTS = ("text", "inlineData", "fileData", "functionCall", "functionResponse")
_SCHEMA = (
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "minimum",
    "maximum",
)
_TYPES = {"object", "array", "string", "number", "integer", "boolean"}
_FORMATS = {"string": ("enum", "date-time"), "number": ("float", "double")}
_FORMATS["integer"] = ("int32", "int64")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_OWN_TOOLS = ("googleSearch", "codeExecution", "urlContext")
_FOREIGN = "skip_thought_signature_validator"
"""The documented value for a call of another model without a signature."""


class Gemini(Provider):
    name = "gemini"
    model = "gemini-3-test"

    def __init__(self) -> None:
        self._called = False
        self._thought = False
        self._said = False

    # Rules

    def check_head(self, request: Request) -> None:
        path, _, query = request.path.partition("?")
        asked = (path.removeprefix(f"/v1beta/models/{self.model}:"), query)
        right = asked in (("streamGenerateContent", "alt=sse"), ("generateContent", ""))
        check_key(request.headers, request.path, "x-goog-api-key", KEY, KEY)
        need(right, "models/… is not found for API version v1beta", 404)
        need("authorization" not in request.headers, "Expected OAuth 2 access token", 401)
        need(request.headers.get("content-type") == "application/json", "Not JSON", 415)

    def check_body(self, body: Any) -> None:
        fields = only(body, _FIELDS, "body")
        need(fields.get("contents"), "contents is not specified")
        if "systemInstruction" in fields:
            system = only(fields["systemInstruction"], ("role", "parts"), "systemInstruction")
            need(all(part.get("text") for part in system["parts"]), "systemInstruction: empty text")
        names = [name for tool in fields.get("tools", ()) for name in _check_tool(tool)]
        need(len(set(names)) == len(names), "Duplicate function declaration found")
        _check_choice(fields, names)
        _check_config(fields.get("generationConfig", {}))
        for number, content in enumerate(fields["contents"]):
            _check_content(content, f"contents[{number}]")
        _check_order(fields["contents"])
        _check_signatures(fields["contents"])

    def error(self, words: str, status: int) -> dict[str, Any]:
        kinds = {401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
        kind = kinds.get(status, "INVALID_ARGUMENT")
        return {"error": {"code": status, "message": words, "status": kind}}

    def said(self, body: Any) -> list[str]:
        parts = (p for c in body["contents"] if c["role"] == "user" for p in c["parts"])
        return [part["text"] for part in parts if "text" in part]

    # Words

    def start(self) -> list[Part]:
        self._called = self._thought = self._said = False
        return []

    def write(self, step: Say | Think | Call, number: int) -> list[Part]:
        match step:
            case Say(text=text):
                self._said = True
                return [_chunk({"text": piece}) for piece in pieces(text)]
            case Think(text=text):
                self._thought = True
                return [_chunk({"text": piece, "thought": True}) for piece in pieces(text)]
            case Call() if step.half:
                return self._half(step)
            case Call():
                call = {"name": step.name, "args": dict(step.arguments)}
                signed = {} if self._called else {"thoughtSignature": seal_call(call)}
                self._called = True
                return [_chunk({"functionCall": call, **signed})]

    def _half(self, call: Call) -> list[Part]:
        """The arguments of such a call come as strings at paths."""
        self._called = True
        opened = {"name": call.name, "willContinue": True}
        piece = {"jsonPath": "$.text", "stringValue": call.half, "willContinue": True}
        more = {"partialArgs": [piece], "willContinue": True}
        return [_chunk({"functionCall": opened}), _chunk({"functionCall": more})]

    def stop(self) -> list[Part]:
        """A thought before plain text is signed on an empty text at the end."""
        signed = self._thought and self._said and not self._called
        parts = [{"text": "", "thoughtSignature": _seal_text("")}] if signed else []
        counts = {"promptTokenCount": 10, "candidatesTokenCount": 5}
        content = {"role": "model", "parts": parts}
        last = {"content": content, "finishReason": "STOP", "index": 0}
        return [event({"candidates": [last], "usageMetadata": counts})]


def _chunk(part: dict[str, Any]) -> Part:
    return event({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]})


def seal_call(call: dict[str, Any]) -> str:
    return f"call-{digest(call['name'], canonical(call['args']))}"


def _seal_text(text: str) -> str:
    return f"text-{digest(text)}"


def _check_tool(tool: Any) -> list[str]:
    fields = only(tool, ("functionDeclarations", *_OWN_TOOLS), "tools")
    names: list[str] = []
    for declaration in fields.get("functionDeclarations", ()):
        known = ("name", "description", "parameters")
        function = only(declaration, known, "function_declarations")
        name = function.get("name", "")
        need(_NAME.fullmatch(name), f"Invalid function name: {name!r}")
        names.append(name)
        if "parameters" in function:
            kind = function["parameters"].get("type")
            need(kind == "object", f"{name}.parameters: type should be OBJECT")
            _check_schema(function["parameters"], f"{name}.parameters")
    return names


def _check_schema(schema: Any, place: str) -> None:
    fields = only(schema, _SCHEMA, place)
    for inner in fields.get("anyOf", ()):
        _check_schema(inner, f"{place}.any_of")
    kind = fields.get("type")
    need(kind in _TYPES or "anyOf" in fields, f"{place}.type: {kind!r}")
    if "enum" in fields:
        right = kind == "string" and all(isinstance(e, str) and e for e in fields["enum"])
        need(right, f"{place}.enum: only allowed for STRING type")
    if "format" in fields:
        need(fields["format"] in _FORMATS.get(str(kind), ()), f"{place}.format: not supported")
    if kind == "array":
        need("items" in fields, f"{place}.items: missing field")
        _check_schema(fields["items"], f"{place}.items")
    if kind == "object":
        properties = fields.get("properties")
        need(properties, f"{place}.properties: should be non-empty for OBJECT type")
        missing = set(fields.get("required", ())) - set(properties or ())
        need(not missing, f"{place}.required: {sorted(missing)} is not defined")
        for name, inner in (properties or {}).items():
            _check_schema(inner, f"{place}.properties.{name}")


def _check_choice(fields: dict[str, Any], names: list[str]) -> None:
    if "toolConfig" not in fields:
        return
    config = only(fields["toolConfig"], ("functionCallingConfig",), "toolConfig")
    known = ("mode", "allowedFunctionNames")
    calling = only(config["functionCallingConfig"], known, "functionCallingConfig")
    need(calling.get("mode") in ("AUTO", "ANY", "NONE"), "functionCallingConfig.mode")
    need(names, "functionCallingConfig without function declarations")
    allowed = calling.get("allowedFunctionNames", [])
    need(not set(allowed) - set(names), "allowedFunctionNames names no function")


def _check_config(config: Any) -> None:
    fields = only(config, _CONFIG, "generationConfig")
    need(fields.get("maxOutputTokens", 1) > 0, "maxOutputTokens must be positive")
    known = ("includeThoughts", "thinkingBudget", "thinkingLevel", "thinking_budget")
    thinking = only(fields.get("thinkingConfig", {}), known, "thinkingConfig")
    both = "thinkingBudget" in thinking and "thinkingLevel" in thinking
    need(not both, "You can only set only one of thinking budget and thinking level")
    level = thinking.get("thinkingLevel", "low")
    need(level in ("minimal", "low", "medium", "high"), f"thinkingLevel: {level!r}")
    budget, most = thinking.get("thinkingBudget", 0), fields.get("maxOutputTokens")
    need(budget <= 0 or most is None or budget < most, "thinkingBudget leaves no tokens")


def _check_content(content: Any, place: str) -> None:
    fields = only(content, ("role", "parts"), place)
    role = fields.get("role")
    need(role in ("user", "model"), f"{place}: Please use a valid role: user, model")
    need(fields.get("parts"), f"{place}.parts must not be empty")
    for part in fields["parts"]:
        _check_part(part, str(role), f"{place}.parts")


def _check_part(part: Any, role: str, place: str) -> None:
    fields = only(part, (*_PARTS, "thought", "thoughtSignature"), place)
    data = [name for name in _PARTS if name in fields]
    need(len(data) == 1, f"{place}: oneof field 'data' must have one initialized field")
    theirs = {"functionCall": "model", "functionResponse": "user"}
    need(theirs.get(data[0], role) == role, f"{place}: {data[0]} in a turn of the {role}")
    seal = fields.get("thoughtSignature")
    match data[0]:
        case "text":
            need(fields["text"] or seal, f"{place}: empty text")
            right = seal in (None, _seal_text(fields["text"]))
            need(right, f"{place}: Thought signature is not valid")
        case "functionCall":
            call = only(fields["functionCall"], ("id", "name", "args"), place)
            need(_NAME.fullmatch(call.get("name", "")), f"{place}: Invalid function name")
            need(isinstance(call.get("args"), dict), f"{place}: args should be an object")
            right = seal in (None, _FOREIGN, seal_call(call))
            need(right, f"{place}: Thought signature is not valid")
        case "functionResponse":
            response = only(fields["functionResponse"], ("id", "name", "response"), place)
            need(isinstance(response.get("response"), dict), f"{place}: response")
        case _:
            need(isinstance(fields[data[0]], dict), f"{place}: {data[0]}")


def _named(content: dict[str, Any], kind: str) -> list[str]:
    return [part[kind]["name"] for part in content["parts"] if kind in part]


def _check_order(contents: list[dict[str, Any]]) -> None:
    """Results follow their calls at once, by name and in order."""
    need(contents[0]["role"] == "user", "Please ensure that the first turn is the user's")
    waiting: list[str] = []
    for number, content in enumerate(contents):
        place = f"contents[{number}]"
        results = _named(content, "functionResponse")
        calls = _named(content, "functionCall")
        if results:
            need(waiting, f"{place}: function response turn comes after a function call turn")
            need(
                len(results) == len(waiting),
                f"{place}: the number of function response parts is equal to that of the calls",
            )
            need(results == waiting, f"{place}: function responses {results} for {waiting}")
            need(
                all("functionResponse" in part for part in content["parts"]),
                f"{place}: a function response turn has only function responses",
            )
        need(results or not waiting, f"{place}: a function call turn without its responses")
        after_user = number and contents[number - 1]["role"] == "user"
        need(not calls or after_user, f"{place}: function call turn comes after a user turn")
        waiting = calls
    need(not waiting, "the last function call turn has no response")


def _check_signatures(contents: list[dict[str, Any]]) -> None:
    """Since the last question the first call of each step is signed."""
    for number in reversed(range(len(contents))):
        content = contents[number]
        if content["role"] == "user":
            if any("functionResponse" not in part for part in content["parts"]):
                return
            continue
        calls = [part for part in content["parts"] if "functionCall" in part]
        words = "Function call is missing a thought_signature in functionCall parts."
        need(not calls or "thoughtSignature" in calls[0], f"contents[{number}]: {words}")
