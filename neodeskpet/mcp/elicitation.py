"""What a server asks the person for, as a plain schema of a form (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

Json = Mapping[str, object]


def form_schema(schema: Json) -> dict[str, object]:
    """`schema` with choices as an `enum` wherever they were written with titles of their own, and
    with a title where no description is.
    """
    properties = {name: _field(_as_mapping(one)) for name, one in _schema_of_field(schema).items()}
    return {**schema, "type": "object", "properties": properties}


def defaults(schema: Json) -> dict[str, object]:
    """What the form begins with."""
    fields = {name: _as_mapping(one) for name, one in _schema_of_field(schema).items()}
    return {name: one["default"] for name, one in fields.items() if one.get("default") is not None}


def _field(field: Json) -> dict[str, object]:
    out = dict(field)
    for key in ("oneOf", "anyOf"):
        options = [_as_mapping(one) for one in _as_list(field.get(key))]
        if options and all("const" in one for one in options):
            del out[key]
            out["enum"] = [one["const"] for one in options]
            titles = (f"{one['const']}: {one['title']}" for one in options if one.get("title"))
            out["description"] = "; ".join(filter(None, [_words(field), *titles]))
    out.setdefault("description", _words(field))
    return out


def _words(field: Json) -> str:
    return str(field.get("description") or field.get("title") or "")


def _schema_of_field(schema: Json) -> Json:
    return _as_mapping(schema.get("properties"))


def _as_mapping(value: object) -> Json:
    return cast("Json", value) if isinstance(value, Mapping) else {}


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
