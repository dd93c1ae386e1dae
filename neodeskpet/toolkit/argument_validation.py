"""Simplifies JSON Schemas, and validates the arguments of a call: strings are coerced by the
schema, values validated, and errors reported with their path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from neodeskpet.core.call_arguments import coerce_value
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, InvalidValue, Reason

_NAMED = ("definitions", "$defs")
_MOST_PARTS = 20_000
_NOISE = ("title", "discriminator", "$schema", "$id", *_NAMED)


@dataclass(frozen=True, slots=True)
class _Frame:
    """State of one conversion: the named definitions, and whether objects are closed. `parts`
    counts the parts written out.
    """

    named: Mapping[str, object]
    closed: bool
    parts: Iterator[int] = field(default_factory=count)


def plain_schema(schema: Mapping[str, object], *, closed: bool = True) -> dict[str, object]:
    """Return `schema` with references written out; titles, null branches and null defaults are
    removed. If `closed`, every object gets `additionalProperties: false` unless it says otherwise.

    Raises TypeError for a schema that contains itself or is too large when written out (nested
    references multiply), KeyError for a reference to another document.
    """
    parts = [cast("Mapping[str, object]", schema.get(part, {})) for part in _NAMED]
    return _plain(schema, _Frame({**parts[0], **parts[1]}, closed), ())


def _plain(
    schema: Mapping[str, object], frame: _Frame, inside: tuple[str, ...]
) -> dict[str, object]:
    if next(frame.parts) > _MOST_PARTS:
        raise TypeError("A tool's parameters are too large when their references are written out")
    if isinstance(schema, bool):  # true allows anything, false nothing
        return {} if schema else {"not": {}}
    schema, inside = _resolved(schema, frame, inside)
    schema = _without_null(schema, frame, inside)
    out = {key: value for key, value in schema.items() if key not in _NOISE}
    if out.get("default", ...) is None:
        del out["default"]
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if key in out:
            members = cast("list[Mapping[str, object]]", out[key])
            out[key] = [_plain(member, frame, inside) for member in members]
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), Mapping):
            out[key] = _plain(cast("Mapping[str, object]", out[key]), frame, inside)
    if out.get("type") == "object":
        properties = cast("Mapping[str, Mapping[str, object]]", out.get("properties", {}))
        out["properties"] = {name: _plain(one, frame, inside) for name, one in properties.items()}
        if frame.closed:
            out.setdefault("additionalProperties", False)
    return out


def _resolved(
    schema: Mapping[str, object], frame: _Frame, inside: tuple[str, ...]
) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """Return `schema` with its own `$ref` resolved; keywords beside the reference take
    precedence.
    """
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema, inside
    name = reference.rsplit("/", 1)[-1]
    if reference not in {f"#/{part}/{name}" for part in _NAMED}:
        raise KeyError(reference)
    if name in inside:
        raise TypeError(f"A tool's parameters can't contain themselves: {name}")
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**cast("Mapping[str, object]", frame.named[name]), **beside}, (*inside, name)


def _without_null(
    schema: Mapping[str, object], frame: _Frame, inside: tuple[str, ...]
) -> Mapping[str, object]:
    """Remove the null branch: an optional parameter can simply be omitted."""
    members = schema.get("anyOf")
    if not isinstance(members, list):
        return schema
    real = [one for one in members if isinstance(one, bool) or one.get("type") != "null"]
    beside = {key: value for key, value in schema.items() if key != "anyOf"}
    if len(real) == 1:
        return {**_resolved(real[0], frame, inside)[0], **beside}
    return {**beside, "anyOf": real}


_Schema = Mapping[str, object]
_SHOWN = 80
"""Characters of a wrong value that an error shows."""


def validate_arguments(
    model: type[BaseModel], schema: _Schema, arguments: Mapping[str, object]
) -> dict[str, object]:
    """Return the values that `model` makes of `arguments`; omitted ones are left to the function's
    defaults.

    Raises InvalidArguments with path and reason of every fault.
    """
    required = cast("Sequence[str]", schema.get("required", ()))
    given = {key: v for key, v in arguments.items() if v is not None or key in required}
    coerced = cast("dict[str, object]", coerce_value(given, schema))
    try:
        text = json.dumps(coerced)
    except (TypeError, ValueError) as error:
        raise InvalidArguments(f"Not a JSON object: {error}") from None  # happens only with a bug
    try:
        read = model.model_validate_json(text)
    except ValidationError as error:
        raise InvalidArguments(reasons=_reasons(error, coerced, schema)) from None
    return {key: getattr(read, key) for key in type(read).model_fields if key in coerced}


# Reasons

NO_SUCH = N_("there is no such argument")
REQUIRED = N_("is required")
MUST_BE = {
    "array": N_("must be an array, got {got}"),
    "boolean": N_("must be a boolean, got {got}"),
    "integer": N_("must be an integer, got {got}"),
    "null": N_("must be null, got {got}"),
    "number": N_("must be a number, got {got}"),
    "object": N_("must be an object, got {got}"),
    "string": N_("must be a string, got {got}"),
}
"""Error text by the name of a type in JSON Schema."""
LIMITS = {
    "minimum": N_("must be greater than or equal to {limit}, got {got}"),
    "maximum": N_("must be less than or equal to {limit}, got {got}"),
    "exclusiveMinimum": N_("must be greater than {limit}, got {got}"),
    "exclusiveMaximum": N_("must be less than {limit}, got {got}"),
    "minLength": N_("must have at least {limit} characters, got {got}"),
    "maxLength": N_("must have at most {limit} characters, got {got}"),
    "minItems": N_("must have at least {limit} items, got {got}"),
    "maxItems": N_("must have at most {limit} items, got {got}"),
    "enum": N_("must be one of {limit}, got {got}"),
}
"""Error text by the violated keyword of JSON Schema."""

_TYPES = {
    "int": "integer",
    "float": "number",
    "finite_number": "number",
    "bool": "boolean",
    "string": "string",
    "list": "array",
    "dict": "object",
    "model": "object",
}
"""JSON Schema type by the beginning of pydantic's error type: `int_parsing`, `model_type`, …"""
_LIMITS = {
    "greater_than_equal": ("minimum", "ge"),
    "less_than_equal": ("maximum", "le"),
    "greater_than": ("exclusiveMinimum", "gt"),
    "less_than": ("exclusiveMaximum", "lt"),
    "string_too_short": ("minLength", "min_length"),
    "string_too_long": ("maxLength", "max_length"),
    "too_short": ("minItems", "min_length"),
    "too_long": ("maxItems", "max_length"),
    "literal_error": ("enum", "expected"),
}
"""By pydantic's error type: our keyword, and the key of the limit in pydantic's context."""


def _reasons(
    error: ValidationError, given: Mapping[str, object], schema: _Schema
) -> Iterator[Reason]:
    for fault in error.errors(include_url=False):
        path = _path(fault, given)
        yield _reason(fault, path)
        if fault["type"] == "extra_forbidden" and len(fault["loc"]) == 1:
            known = ", ".join(cast("Mapping[str, object]", schema["properties"])) or "—"
            yield Reason(N_("the arguments are: {names}"), {"names": known}, path)


def _reason(fault: ErrorDetails, path: str) -> Reason:
    kind, context = fault["type"], fault.get("ctx", {})
    got = {"got": shown_value(fault["input"])}
    if kind in _LIMITS:
        keyword, place = _LIMITS[kind]
        return Reason(LIMITS[keyword], {"limit": _limit(context[place]), **got}, path)
    for beginning, name in _TYPES.items():
        if kind == beginning or kind.startswith(f"{beginning}_"):
            return Reason(MUST_BE[name], got, path)
    match kind:
        case "missing":
            return Reason(REQUIRED, {}, path)
        case "extra_forbidden":
            return Reason(NO_SUCH, {}, path)
        case "json_invalid":
            return Reason(N_("Not valid JSON: {error}."), {"error": str(context["error"])}, path)
        case "not_offered":
            return _not_offered(context, path)
        case "value_error" if isinstance(context["error"], InvalidValue):
            return context["error"].at(path)
        case _:
            return library_reason(fault["msg"].removeprefix("Value error, "), path)


def _limit(limit: object) -> str:
    """Format a limit: a number, or names as pydantic lists them ("'a', 'b' or 'c'")."""
    return f"{limit:g}" if isinstance(limit, float) else str(limit).replace(" or ", ", ")


def library_reason(words: str, path: str) -> Reason:
    """Return a reason with the unchanged message of a library."""
    return Reason("{words}", {"words": words}, path)


def _not_offered(context: Mapping[str, Any], path: str) -> Reason:
    params = {key: str(value) for key, value in context.items()}
    if params["near"]:
        text = N_("there is no {value}. Did you mean {near}? Those that exist: {names}")
    else:
        text = N_("there is no {value}. Those that exist: {names}")
    return Reason(text, params, path)


def _path(fault: ErrorDetails, given: object) -> str:
    """Return a path such as `a.b[0]`; steps that name a branch of a union are left out."""
    out = ""
    here: Any = given
    for step in fault["loc"]:
        if isinstance(step, int):
            out += f"[{step}]"
            here = here[step] if isinstance(here, list) and step < len(here) else None
        elif isinstance(here, Mapping) and (step in here or fault["type"] == "missing"):
            out += f".{step}" if out else step
            here = here.get(step)
    return out or "arguments"


def shown_value(value: object) -> str:
    """Return a wrong value as errors show it: JSON, shortened."""
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
