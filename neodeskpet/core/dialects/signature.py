"""A tool's parameters as a short signature: a text model reads it in a third of the tokens that
the JSON Schema costs, which a small model on a slow machine spends half a minute on.

    {group: "Wave"|"Nod" (Which motion.), index?: integer ≥ 0}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import cast

from neodeskpet.core.toolspec import ToolSpec

_WORDED = frozenset(
    {"type", "enum", "description", "default", "properties", "required", "items"}
    | {"additionalProperties", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    | {"minLength", "maxLength", "minItems", "maxItems"}
)
"""What a signature says or leaves to the check of the arguments. Anything else stays JSON."""
_SCALARS = ("string", "number", "integer", "boolean", "null")


def list_tools(tools: Iterable[ToolSpec]) -> str:
    """A line for each."""
    return "\n".join(
        f"- {tool.name} {parameter_signature(tool.parameters)}: {tool.description}"
        for tool in tools
    )


def parameter_signature(schema: Mapping[str, object]) -> str:
    """`schema` in one line. A part of it that no signature can say is given as JSON."""
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
        f"{name}{'' if name in needed else '?'}: {parameter_signature(_mapping(field))}{_about(_mapping(field))}"
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
