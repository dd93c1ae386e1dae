"""The common parts of all providers' rules: refusing, and checking fields and schemas."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}


class Refused(Exception):
    """The request breaks a rule; `status` and this text are the answer."""

    def __init__(self, words: str, status: int = 400) -> None:
        super().__init__(words)
        self.status = status


def need(true: object, words: str, status: int = 400) -> None:
    if not true:
        raise Refused(words, status)


def only(fields: Any, known: Collection[str], place: str) -> dict[str, Any]:
    """`fields` as an object without unknown fields."""
    need(isinstance(fields, dict), f"{place}: should be an object")
    unknown = sorted(set(fields) - set(known))
    need(not unknown, f"Unknown field {place}.{unknown[0] if unknown else ''}")
    return dict(fields)


def digest(*words: str) -> str:
    """A provider's seal on its own text: a changed text doesn't match it."""
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12]


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def pieces(text: str) -> list[str]:
    """`text` as a model streams it: in three pieces."""
    third = max(1, len(text) // 3)
    return [p for p in (text[:third], text[third : 2 * third], text[2 * third :]) if p]


def check_key(headers: Mapping[str, str], path: str, name: str, wanted: str, key: str) -> None:
    """The key is in the header `name` and in no address."""
    need(key not in path and "key=" not in path, "The key stands in the address", 401)
    need(headers.get(name) == wanted, f"{name} holds no valid key", 401)


def check_object_schema(schema: Any, place: str) -> None:
    """The parameters of a function: an object without alternatives at the top."""
    need(isinstance(schema, dict), f"{place}: schema must be an object")
    need(schema.get("type") == "object", f"{place}: schema must have type 'object'")
    for word in ("oneOf", "anyOf", "allOf", "enum", "not"):
        need(word not in schema, f"{place}: schema must not have {word!r} at the top level")
    check_schema(schema, place)


def check_schema(schema: Any, place: str) -> None:
    """JSON Schema as the stricter services read it."""
    need(isinstance(schema, dict), f"{place}: schema must be an object")
    kinds = schema.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        need(kind in _TYPES, f"{place}: {kind!r} is not a type")
    if kinds == "array":
        need("items" in schema, f"{place}: array schema missing items")
        check_schema(schema["items"], f"{place}.items")
    properties = schema.get("properties", {})
    need(isinstance(properties, dict), f"{place}: properties should be an object")
    missing = set(schema.get("required", ())) - set(properties)
    need(not missing, f"{place}: required {sorted(missing)} not in properties")
    for name, inner in properties.items():
        check_schema(inner, f"{place}.{name}")


def check_names(names: Iterable[str], place: str) -> None:
    """Every name is valid and unique."""
    seen: set[str] = set()
    for name in names:
        need(isinstance(name, str) and NAME.fullmatch(name), f"{place}: {name!r} doesn't fit")
        need(name not in seen, f"{place}: {name!r} is there twice")
        seen.add(name)
