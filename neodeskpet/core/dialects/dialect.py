"""The interface of a dialect, the native dialect, and the short signatures by which text dialects
list tools.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, cast

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import ModelMessage
from neodeskpet.core.wire import WireEvent


class ReplyReader(Protocol):
    """Reads one response. It holds back only text that could still become a marker, and yields all
    held text before it passes on `ResponseFinished`.
    """

    def read(self, event: WireEvent) -> Iterable[WireEvent]: ...

    def pause(self) -> Iterable[WireEvent]:
        """Called when the stream pauses. Yields held text that reads like prose; held markers stay,
        because users shouldn't see partial ones.
        """
        ...


class Dialect(Protocol):
    """`native`: the request contains the tools; otherwise `announce` puts them into the prompt."""

    @property
    def name(self) -> str: ...

    @property
    def native(self) -> bool: ...

    @property
    def stops(self) -> tuple[str, ...]:
        """Texts at which the model should stop, because it would invent the app's answer."""
        ...

    def announce(self, tools: Sequence[ToolSpec]) -> str:
        """Return the text for the system prompt; "" if there is none."""
        ...

    def reader(self, tools: Sequence[ToolSpec] = ()) -> ReplyReader:
        """Return a new reader for one response to a request with `tools`."""
        ...

    def render(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Return the transcript in this dialect (text dialects turn calls and results
        into text).
        """
        ...


class PassThroughReader:
    """Passes on every event unchanged."""

    def read(self, event: WireEvent) -> Iterable[WireEvent]:
        return (event,)

    def pause(self) -> Iterable[WireEvent]:
        return ()


class _Native:
    name = "native"
    native = True
    stops = ()

    def announce(self, tools: Sequence[ToolSpec]) -> str:
        return ""

    def reader(self, tools: Sequence[ToolSpec] = ()) -> ReplyReader:
        return PassThroughReader()

    def render(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        return list(messages)


NATIVE: Dialect = _Native()


_WORDED = frozenset(
    {"type", "enum", "description", "default", "properties", "required", "items"}
    | {"additionalProperties", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    | {"minLength", "maxLength", "minItems", "maxItems"}
)
"""Keywords that a signature expresses, or that only the check of the arguments needs. Schemas with
other keywords are shown as JSON.
"""
_SCALARS = ("string", "number", "integer", "boolean", "null")


def list_tools(tools: Iterable[ToolSpec]) -> str:
    """Return a line for each tool."""
    return "\n".join(
        f"- {tool.name} {parameter_signature(tool.parameters)}: {tool.description}"
        for tool in tools
    )


def parameter_signature(schema: Mapping[str, object]) -> str:
    """Return `schema` on one line. Parts that a signature can't express are given as JSON."""
    if schema.keys() - _WORDED:
        return json.dumps(schema, ensure_ascii=False)
    kind = schema.get("type")
    options = schema.get("enum")
    if isinstance(options, list) and options:
        return "|".join(json.dumps(option, ensure_ascii=False) for option in options)
    if kind == "array":
        items = schema.get("items")
        return f"[{parameter_signature(_mapping(items))}, …]" if items else "[…]"
    if kind == "object":
        return _sign_object(schema)
    if kind in _SCALARS:
        return f"{kind}{_range(schema)}"
    return json.dumps(schema, ensure_ascii=False) if schema else "anything"


def _sign_object(schema: Mapping[str, object]) -> str:
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    fields = [
        f"{name}{'' if name in needed else '?'}: "
        f"{parameter_signature(_mapping(field))}{_about(_mapping(field))}"
        for name, field in _mapping(schema.get("properties")).items()
    ]
    return "{" + ", ".join(fields) + "}"


def _about(schema: Mapping[str, object]) -> str:
    about = schema.get("description")
    return f" ({about})" if about and not schema.keys() - _WORDED else ""


def _range(schema: Mapping[str, object]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f" {low}…{high}"
    for sign_of, key in (("≥", "minimum"), ("≤", "maximum"), (">", "exclusiveMinimum")):
        if schema.get(key) is not None:
            return f" {sign_of} {schema[key]}"
    return ""


def _mapping(value: object) -> Mapping[str, object]:
    return cast(Mapping[str, object], value) if isinstance(value, dict) else {}
