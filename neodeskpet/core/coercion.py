"""Values as the type a JSON Schema asks for, where it is clear what was meant.

Text mode sends every value as a string, and models send "3" for 3 in native mode too. Only what
the schema makes unambiguous is coerced.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping
from typing import cast

from neodeskpet.core.json_text import read_json

_Schema = Mapping[str, object]
_TRUTH = {"true": True, "yes": True, "on": True, "1": True}
_TRUTH |= {"false": False, "no": False, "off": False, "0": False}


def coerce_value(value: object, schema: _Schema) -> object:
    """`value` as the type the schema asks for, where a string or a whole float clearly means it;
    else `value` itself.
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
    """The properties that may be null."""
    properties = _properties(schema)
    return frozenset(key for key, one in properties.items() if "null" in _types(_schema(one)))


def text_properties(schema: _Schema) -> frozenset[str]:
    """The properties that may be texts, or anything."""
    properties = _properties(schema)
    kinds = {key: _types(_schema(one)) for key, one in properties.items()}
    return frozenset(key for key, one in kinds.items() if not one or "string" in one)


def known_properties(schema: _Schema) -> frozenset[str]:
    """The properties that the schema names."""
    return frozenset(_properties(schema))


def _schema(value: object) -> _Schema:
    """Foreign schemas may have anything at any place."""
    return cast("_Schema", value) if isinstance(value, Mapping) else {}


def _members(schema: _Schema) -> list[_Schema]:
    """The branches of a schema that is made of others."""
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
