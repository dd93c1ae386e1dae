"""Reads a call's arguments: coerces strings by the schema, validates, words every fault.

Text mode sends every value as a string, and models send "3" for 3 in native mode too. Only what
the schema makes unambiguous is coerced; everything else is a fault with its path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.json_text import read_json

_Schema = Mapping[str, object]
_TRUTH = {"true": True, "yes": True, "on": True, "1": True}
_TRUTH |= {"false": False, "no": False, "off": False, "0": False}
_SHOWN = 80
"""Characters of a wrong value that are repeated."""


def read_arguments(
    model: type[BaseModel], schema: _Schema, arguments: Mapping[str, object]
) -> dict[str, object]:
    """The values `model` makes of `arguments`; those left out stay out (the function's defaults).

    Raises InvalidArguments that names path and reason of every fault.
    """
    required = cast("Sequence[str]", schema.get("required", ()))
    given = {key: v for key, v in arguments.items() if v is not None or key in required}
    coerced = cast("dict[str, object]", coerce(given, schema))
    try:
        text = json.dumps(coerced)
    except (TypeError, ValueError) as error:
        raise InvalidArguments(f"Not a JSON object: {error}") from None
    try:
        read = model.model_validate_json(text)
    except ValidationError as error:
        raise InvalidArguments(_word_faults(error, coerced, schema)) from None
    return {key: getattr(read, key) for key in type(read).model_fields if key in coerced}


def coerce(value: object, schema: _Schema) -> object:
    """`value` as the type the schema asks for, where a string or a whole float clearly means it;
    else `value` itself.
    """
    types = _types(schema)
    if isinstance(value, str) and types and "string" not in types:
        value = _coerce_string(value, types, schema)
    if isinstance(value, float) and value.is_integer() and "number" not in types:
        value = int(value) if "integer" in types else value
    if isinstance(value, Mapping):
        properties = cast("Mapping[str, _Schema]", schema.get("properties", {}))
        return {key: coerce(one, properties.get(key, {})) for key, one in value.items()}
    if isinstance(value, list):
        items = cast("_Schema", schema.get("items", {}))
        return [coerce(one, items) for one in value]
    return value


def _types(schema: _Schema) -> frozenset[str]:
    if "anyOf" in schema:
        members = cast("Sequence[_Schema]", schema["anyOf"])
        return frozenset[str]().union(*(_types(member) for member in members))
    kind = schema.get("type")
    return frozenset([kind]) if isinstance(kind, str) else frozenset()


def _coerce_string(text: str, types: frozenset[str], schema: _Schema) -> object:
    plain = text.strip()
    if "integer" in types and re.fullmatch(r"[+-]?[0-9]{1,30}", plain):
        return int(plain)
    if "number" in types and re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", plain):
        return float(plain)
    if "boolean" in types and plain.casefold() in _TRUTH:
        return _TRUTH[plain.casefold()]
    if "array" in types or "object" in types:
        return _coerce_structure(text, types, schema)
    return text


def _coerce_structure(text: str, types: frozenset[str], schema: _Schema) -> object:
    try:
        read = read_json(text)
    except ValueError:
        read = None
    if ("array" in types and isinstance(read, list)) or (
        "object" in types and isinstance(read, dict)
    ):
        return cast("object", read)
    if "array" in types and _types(cast("_Schema", schema.get("items", {}))) == {"string"}:
        return [one.strip() for one in re.split(r"[,，、\n]", text) if one.strip()]
    return text


# Wording


def _word_faults(error: ValidationError, given: Mapping[str, object], schema: _Schema) -> str:
    faults = error.errors(include_url=False, include_context=False)
    return "; ".join(_word_fault(fault, given, schema) for fault in faults)


def _word_fault(fault: ErrorDetails, given: Mapping[str, object], schema: _Schema) -> str:
    path = _path(fault, given)
    match fault["type"]:
        case "missing":
            return f"{path}: is required"
        case "extra_forbidden":
            known = ", ".join(cast("Mapping[str, object]", schema["properties"])) or "none"
            where = f"; the arguments are: {known}" if len(fault["loc"]) == 1 else ""
            return f"{path}: there is no such argument{where}"
        case "json_invalid":
            return f"not valid JSON: {fault['msg']}"
        case "not_offered":
            return f"{path}: {fault['msg']}"
        case _:
            reason = fault["msg"].removeprefix("Value error, ")
            reason = reason.replace("Input should be", "must be")
            reason = re.sub(r"\ba valid (?=[aeiou])", "an ", reason)
            reason = re.sub(r"\ba valid ", "a ", reason)
            return f"{path}: {reason}, got {_show(fault['input'])}"


def _path(fault: ErrorDetails, given: object) -> str:
    """`a.b[0]`; steps that name a branch of a union are left out."""
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


def _show(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
