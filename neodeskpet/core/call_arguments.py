"""The arguments of a tool call: parsed strictly, repaired where the repair loses and guesses
nothing, and coerced to the types of the JSON Schema where the meaning is clear.
"""

from __future__ import annotations

import json
import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import cast

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.json_text import (
    MOST_DEPTH,
    TooDeep,
    nests_deeper,
    read_json,
    repair_surrogates,
)

_Schema = Mapping[str, object]
_TRUTH = {"true": True, "yes": True, "on": True, "1": True}
_TRUTH |= {"false": False, "no": False, "off": False, "0": False}


def coerce_value(value: object, schema: _Schema) -> object:
    """Return `value` converted to the type of the schema if it is a string or a whole float with a
    clear meaning; otherwise `value` itself.
    """
    types = _types(schema)
    if isinstance(value, str) and types and "string" not in types:
        value = _coerce_string(value, types, schema)
    if isinstance(value, float) and value.is_integer() and "number" not in types:
        value = int(value) if "integer" in types else value
    if isinstance(value, Mapping):
        properties = _properties(schema)
        return {key: coerce_value(one, _schema(properties.get(key))) for key, one in value.items()}
    if isinstance(value, list):
        items = _schema(schema.get("items"))
        return [coerce_value(one, items) for one in value]
    return value


def nullable_properties(schema: _Schema) -> frozenset[str]:
    """Return the properties that may be null."""
    properties = _properties(schema)
    return frozenset(key for key, one in properties.items() if "null" in _types(_schema(one)))


def text_properties(schema: _Schema) -> frozenset[str]:
    """Return the properties that may be strings or have no type."""
    properties = _properties(schema)
    kinds = {key: _types(_schema(one)) for key, one in properties.items()}
    return frozenset(key for key, one in kinds.items() if not one or "string" in one)


def known_properties(schema: _Schema) -> frozenset[str]:
    """Return the properties that the schema declares."""
    return frozenset(_properties(schema))


def _schema(value: object) -> _Schema:
    """Return `value` if it is an object, otherwise {}. Foreign schemas may be malformed
    anywhere.
    """
    return cast("_Schema", value) if isinstance(value, Mapping) else {}


def _members(schema: _Schema) -> list[_Schema]:
    """Return the branches of a composed schema."""
    branches = (schema.get(key) for key in ("anyOf", "oneOf", "allOf"))
    return [_schema(one) for branch in branches if isinstance(branch, list) for one in branch]


def _properties(schema: _Schema) -> _Schema:
    inner = [_properties(member) for member in _members(schema)]
    return dict(ChainMap(dict(_schema(schema.get("properties"))), *map(dict, inner)))


def _types(schema: _Schema) -> frozenset[str]:
    members = _members(schema)
    if members:
        return frozenset[str]().union(*map(_types, members))
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    return frozenset(one for one in kinds if isinstance(one, str))


def _coerce_string(text: str, types: frozenset[str], schema: _Schema) -> object:
    plain = text.strip()
    if "integer" in types and re.fullmatch(r"[+-]?[0-9]{1,30}", plain):
        return int(plain)
    if "number" in types and re.fullmatch(r"[+-]?(\d++\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", plain):
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
    if "array" in types and _types(_schema(schema.get("items"))) == {"string"}:
        return [one.strip() for one in re.split(r"[,，、\n]", text) if one.strip()]
    return text


class Repair(StrEnum):
    """A fault of arguments that could be repaired. The values are stored."""

    NONE = ""
    EMPTY_FIRST = "empty_first"
    """`{}` before the actual arguments."""
    REPEATED = "told_twice"
    """The same arguments twice in a row."""
    FENCED = "fenced"
    """A code fence around the arguments."""
    ENCODED_TWICE = "encoded_twice"
    """JSON text inside a JSON string."""
    RAW_NEWLINES = "raw_newlines"
    """Unescaped line breaks and tabs in strings."""


MOST_ARGUMENT_CHARACTERS = 2_000_000
"""Highest number of characters in the arguments of a call: enough for a file of a million
characters that are all escaped. Arguments are parsed on the UI thread, which longer ones would
block.
"""


def parse_arguments(raw: str) -> Mapping[str, object]:
    """Parse the arguments strictly: "" means `{}`, anything else must be a JSON object.

    Raises InvalidArguments, whose text tells the model what to correct.
    """
    if not raw.strip():
        return {}
    try:
        value = read_json(raw, strict=True)
    except TooDeep:
        text = N_("They are nested more than {depth} levels deep.")
        fault = Reason(text, {"depth": str(MOST_DEPTH)})
        raise _refused(raw, fault, "Write them flatter.") from None
    except ValueError as error:
        fault = Reason(N_("Not valid JSON: {error}."), {"error": str(error)})
        raise _refused(raw, fault) from None
    if not isinstance(value, dict):
        raise _refused(raw, Reason(N_("A JSON object is required.")))
    return value


def _refused(raw: str, reason: Reason, advice: str = "") -> InvalidArguments:
    advice = f"{advice} Received: {raw[:500]}".strip()
    return InvalidArguments(reasons=[reason], advice=advice)


def repair_arguments(raw: str) -> tuple[Mapping[str, object], Repair]:
    """Parse the arguments, and repair them if necessary and possible without loss. Accepts at most
    MOST_ARGUMENT_CHARACTERS. Raises InvalidArguments.
    """
    if len(raw) > MOST_ARGUMENT_CHARACTERS:
        fault = Reason(
            N_("They are longer than {count} characters."),
            {"count": f"{MOST_ARGUMENT_CHARACTERS:,}"},
        )
        raise _refused(raw, fault, "Write less at once, in several calls.")
    try:
        return parse_arguments(raw), Repair.NONE
    except InvalidArguments as error:
        for repair, attempt in _REPAIRS.items():
            repaired = attempt(raw)
            if repaired is not None:
                return repaired, repair
        raise error from None


_FENCE = re.compile(r"\s*```[ \t]*(?:json)?[ \t]*\r?\n(.*?)\r?\n?```\s*", re.DOTALL | re.IGNORECASE)
_EMPTY = re.compile(r"\s*\{\s*\}\s*(?=\{)")


def _parsed(raw: str) -> Mapping[str, object] | None:
    try:
        return parse_arguments(raw) if raw.strip() else None
    except InvalidArguments:
        return None


def _after_empty(raw: str) -> Mapping[str, object] | None:
    found = _EMPTY.match(raw)
    return _parsed(raw[found.end() :]) if found else None


def _without_repetition(raw: str) -> Mapping[str, object] | None:
    text = raw.strip()
    half, rest = divmod(len(text), 2)
    first, second = (text[:half], text[half + rest :])
    if first.rstrip() != second.lstrip() or text[half : half + rest].strip():
        return None
    return _parsed(first)


def _unfenced(raw: str) -> Mapping[str, object] | None:
    found = _FENCE.fullmatch(raw)
    return _parsed(found[1]) if found else None


def _decoded(raw: str) -> Mapping[str, object] | None:
    try:
        inner = read_json(raw, strict=True)
    except ValueError:
        return None
    return _parsed(inner) if isinstance(inner, str) else None


def _with_breaks(raw: str) -> Mapping[str, object] | None:
    if nests_deeper(raw):
        return None
    try:
        value = json.loads(raw, strict=False, parse_constant=_refuse)
    except ValueError:
        return None
    return repair_surrogates(value) if isinstance(value, dict) else None


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


_REPAIRS: dict[Repair, Callable[[str], Mapping[str, object] | None]] = {
    Repair.EMPTY_FIRST: _after_empty,
    Repair.REPEATED: _without_repetition,
    Repair.FENCED: _unfenced,
    Repair.ENCODED_TWICE: _decoded,
    Repair.RAW_NEWLINES: _with_breaks,
}
