"""Converts a JSON Schema to the subset that Gemini accepts for the parameters of a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neodeskpet.llm.protocols.protocol import as_list, as_text

_KEPT = (
    "title",
    "description",
    "enum",
    "format",
    "default",
    "nullable",
    "required",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
)
_FORMATS = {
    "string": {"enum", "date-time"},
    "number": {"float", "double"},
    "integer": {"int32", "int64"},
}
_AS_TEXT = "A JSON object, as text."
_DEEPEST = 8  # a schema may contain itself


def fit_parameters(schema: Mapping[str, object]) -> dict[str, Any] | None:
    """Return the schema of a function's parameters; None for a function without parameters, because
    Gemini refuses an object without properties.
    """
    fitted = _fit(schema, schema.get("$defs"))
    return fitted if fitted.get("properties") else None


def _fit(schema: Mapping[str, object], defs: object, depth: int = 0) -> dict[str, Any]:
    schema = _resolved(schema, defs)
    out = {key: schema[key] for key in _KEPT if key in schema}
    kind = _kind(schema, out)
    if "const" in schema:
        out["enum"] = [schema["const"]]
    members = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(members, list) and depth < _DEEPEST:
        _fit_members(out, [m for m in members if isinstance(m, Mapping)], defs, depth)
    if kind == "object":
        _fit_object(out, schema, defs, depth)
    elif kind == "array":
        items = schema.get("items")
        inner = items if isinstance(items, Mapping) and depth < _DEEPEST else {}
        out["items"] = _fit(inner, defs, depth + 1)
    elif kind:
        out["type"] = kind
    elif "anyOf" not in out:
        out.setdefault("type", "string")
    return _tidied(out)


def _kind(schema: Mapping[str, object], out: dict[str, Any]) -> str:
    """Return the type; of several, the first one that isn't null. A null sets `nullable` in
    `out`.
    """
    kinds = schema.get("type")
    if isinstance(kinds, list):
        if "null" in kinds:
            out["nullable"] = True
        kinds = next((kind for kind in kinds if kind != "null"), "")
    if not kinds and "properties" in schema:
        kinds = "object"
    if kinds == "array":
        out["type"] = "array"
    return kinds if isinstance(kinds, str) else ""


def _fit_members(
    out: dict[str, Any], members: Sequence[Mapping[str, object]], defs: object, depth: int
) -> None:
    """Convert alternatives; null among them means that the value may be null."""
    real = [member for member in members if member.get("type") != "null"]
    if len(real) < len(members):
        out["nullable"] = True
    if len(real) == 1:
        only = _fit(real[0], defs, depth + 1)
        for key, value in only.items():
            out.setdefault(key, value)
    elif real:
        out["anyOf"] = [_fit(member, defs, depth + 1) for member in real]


def _fit_object(
    out: dict[str, Any], schema: Mapping[str, object], defs: object, depth: int
) -> None:
    properties = schema.get("properties")
    named = properties if isinstance(properties, Mapping) else {}
    if (not named and depth) or depth >= _DEEPEST:
        out["type"] = "string"
        out["description"] = f"{out.get('description', '')} {_AS_TEXT}".strip()
        out.pop("required", None)
        return
    out["type"] = "object"
    out["properties"] = {
        name: _fit(one if isinstance(one, Mapping) else {}, defs, depth + 1)
        for name, one in named.items()
    }
    wanted = as_list(out.get("required"))
    out["required"] = [name for name in wanted if isinstance(name, str) and name in named]


def _tidied(out: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without the keywords that Gemini refuses for this type."""
    kind = out.get("type", "")
    if as_text(out.get("format")) not in _FORMATS.get(kind, ()):
        out.pop("format", None)
    if "enum" in out:
        words = [one for one in as_list(out["enum"]) if isinstance(one, str) and one]
        if kind == "string" and words:
            out["enum"] = words
        else:
            del out["enum"]
    if not out.get("required"):
        out.pop("required", None)
    return out


def _resolved(schema: Mapping[str, object], defs: object) -> Mapping[str, object]:
    """Return `schema` with its reference resolved and its `allOf` merged."""
    for _ in range(20):
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            break
        found = defs.get(reference.rsplit("/", 1)[-1]) if isinstance(defs, Mapping) else None
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**(found if isinstance(found, Mapping) else {}), **beside}
    parts = schema.get("allOf")
    if isinstance(parts, list):
        merged: dict[str, object] = {}
        for part in parts:
            merged |= _resolved(part, defs) if isinstance(part, Mapping) else {}
        schema = {**merged, **schema}
    return schema
