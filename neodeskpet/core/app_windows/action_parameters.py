"""The parameters of an action: a short notation, and a strict check.

{text:string, tag?:string, limit?:integer=10}

The types are string, integer, number, boolean, null, object and array, as in JSON Schema. There is
no conversion: "3" is not an integer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from neodeskpet.core.i18n import N_, Reason

_Schema = Mapping[str, object]

MUST_BE = N_("{path} must be {type}.")
MISSING = N_("{path} is required.")
UNKNOWN = N_("{path} is no parameter; there are: {names}.")
NOT_LISTED = N_("{path} must be one of {names}.")

_NAMED = 40
"""Highest number of options that an error lists."""


def action_signature(schema: _Schema) -> str:
    """Return the parameters of `schema` on one line; optional ones have a `?` and their default."""
    required = _list(schema.get("required"))
    properties = _mapping(schema.get("properties"))
    fields = (
        f"{name}{'' if name in required else '?'}:{_type(_mapping(field))}"
        f"{_default(_mapping(field))}"
        for name, field in properties.items()
    )
    return "{" + ", ".join(fields) + "}"


def parameter_errors(
    schema: _Schema, params: Mapping[str, object], path: str = "params"
) -> list[Reason]:
    """Return the errors in `params`, each with its path (`params.a[0] must be integer`). An
    optional parameter that is null counts as left out.
    """
    return list(_object_faults(schema, params, path))


def _type(schema: _Schema) -> str:
    options = _list(schema.get("enum"))
    if options:
        return "|".join(json.dumps(one, ensure_ascii=False).replace('"', "'") for one in options)
    kinds = _kinds(schema)
    if kinds == ("array",):
        items = _mapping(schema.get("items"))
        return f"array<{_type(items)}>" if items else "array"
    if kinds == ("object",) and _mapping(schema.get("properties")):
        return action_signature(schema)
    return "|".join(kinds) or "any"


def _default(schema: _Schema) -> str:
    default = schema.get("default")
    return f"={json.dumps(default, ensure_ascii=False)}" if default not in (None, "", []) else ""


def _kinds(schema: _Schema) -> tuple[str, ...]:
    """Return the allowed types of a value; empty if any type is allowed."""
    branches = _list(schema.get("anyOf"))
    if branches:
        return tuple(dict.fromkeys(kind for one in branches for kind in _kinds(_mapping(one))))
    kind = schema.get("type")
    return tuple(map(str, kind)) if isinstance(kind, list) else (str(kind),) if kind else ()


def _is_integer(value: object) -> bool:
    whole = isinstance(value, float) and value.is_integer()
    return whole or (isinstance(value, int) and not isinstance(value, bool))


_IS: Mapping[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, list | tuple),
}


def _value_faults(schema: _Schema, value: object, path: str) -> Iterator[Reason]:
    branches = [_mapping(one) for one in _list(schema.get("anyOf"))]
    if branches:
        found = [list(_value_faults(one, value, path)) for one in branches]
        if all(found):  # the closest branch, unless the type is wrong
            fitting = [f for f, one in zip(found, branches, strict=True) if _fits(one, value)]
            yield from fitting[0] if fitting else [_must_be(schema, path)]
        return
    if not _fits(schema, value):
        yield _must_be(schema, path)
        return
    options = _list(schema.get("enum"))
    if options and not any(_same(value, one) for one in options):
        names = ", ".join(json.dumps(one, ensure_ascii=False) for one in options[:_NAMED])
        yield Reason(NOT_LISTED, {"path": path, "names": names})
    elif isinstance(value, Mapping):
        yield from _object_faults(schema, value, path)
    elif isinstance(value, list | tuple):
        items = _mapping(schema.get("items"))
        for number, one in enumerate(value):
            yield from _value_faults(items, one, f"{path}[{number}]")


def _object_faults(schema: _Schema, value: _Schema, path: str) -> Iterator[Reason]:
    properties = _mapping(schema.get("properties"))
    required = _list(schema.get("required"))
    for name in required:
        if name not in value:
            yield Reason(MISSING, {"path": f"{path}.{name}"})
    for name, one in value.items():
        if name in properties:
            left_out = one is None and name not in required
            if not left_out:
                yield from _value_faults(_mapping(properties[name]), one, f"{path}.{name}")
        elif schema.get("additionalProperties") is False or not schema:
            names = ", ".join(properties) or "—"
            yield Reason(UNKNOWN, {"path": f"{path}.{name}", "names": names})


def _fits(schema: _Schema, value: object) -> bool:
    kinds = _kinds(schema)
    return not kinds or any(_IS[kind](value) for kind in kinds if kind in _IS)


def _must_be(schema: _Schema, path: str) -> Reason:
    return Reason(MUST_BE, {"path": path, "type": " or ".join(_kinds(schema))})


def _same(one: object, other: object) -> bool:
    """Compare as JSON does: True is not 1."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _mapping(value: object) -> _Schema:
    return cast("_Schema", value) if isinstance(value, Mapping) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()
