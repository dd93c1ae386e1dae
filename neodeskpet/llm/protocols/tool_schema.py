"""Adapts a tool's JSON Schema to services that accept JSON Schema (Gemini needs another form)."""

from __future__ import annotations

from collections.abc import Mapping

_DROPPED = frozenset({"oneOf", "anyOf", "allOf", "enum", "not", "$schema"})
_DEEPEST = 16  # a schema may contain itself


def object_schema(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the schema with an object at the top, without alternatives there, and with `items` in
    every list.
    """
    kept = {key: value for key, value in parameters.items() if key not in _DROPPED}
    properties = kept.get("properties")
    named = properties if isinstance(properties, Mapping) else {}
    fitted = {name: _with_items(one, 1) for name, one in named.items()}
    return kept | {"type": "object", "properties": fitted}


def _with_items(schema: object, depth: int) -> object:
    """Return `schema` with the missing `items` of the lists in it."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return schema
    out = dict(schema)
    if out.get("type") == "array":
        out["items"] = _with_items(out.get("items", {}), depth + 1)
    properties = out.get("properties")
    if isinstance(properties, Mapping):
        out["properties"] = {name: _with_items(one, depth + 1) for name, one in properties.items()}
    return out
