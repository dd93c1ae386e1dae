"""JSON Schema in the plainest form: what every provider takes, and what a model reads easily."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

_NOISE = ("title", "$defs", "discriminator")


def plain_schema(schema: Mapping[str, object]) -> dict[str, object]:
    """`schema` with references written out, titles, null branches and null defaults left out, and
    every object closed (`additionalProperties: false`) that doesn't say otherwise.

    Raises TypeError for a schema that contains itself.
    """
    return _plain(schema, cast("Mapping[str, object]", schema.get("$defs", {})), ())


def _plain(
    schema: Mapping[str, object], defs: Mapping[str, object], inside: tuple[str, ...]
) -> dict[str, object]:
    schema, inside = _resolved(schema, defs, inside)
    schema = _without_null(schema, defs, inside)
    out = {key: value for key, value in schema.items() if key not in _NOISE}
    if out.get("default", ...) is None:
        del out["default"]
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if key in out:
            members = cast("list[Mapping[str, object]]", out[key])
            out[key] = [_plain(member, defs, inside) for member in members]
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), Mapping):
            out[key] = _plain(cast("Mapping[str, object]", out[key]), defs, inside)
    if out.get("type") == "object":
        properties = cast("Mapping[str, Mapping[str, object]]", out.get("properties", {}))
        out["properties"] = {name: _plain(one, defs, inside) for name, one in properties.items()}
        out.setdefault("additionalProperties", False)
    return out


def _resolved(
    schema: Mapping[str, object], defs: Mapping[str, object], inside: tuple[str, ...]
) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """`schema` with its own `$ref` replaced; what stands beside the reference wins."""
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema, inside
    name = reference.rsplit("/", 1)[-1]
    if name in inside:
        raise TypeError(f"A tool's parameters can't contain themselves: {name}")
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**cast("Mapping[str, object]", defs[name]), **beside}, (*inside, name)


def _without_null(
    schema: Mapping[str, object], defs: Mapping[str, object], inside: tuple[str, ...]
) -> Mapping[str, object]:
    """An optional parameter is one that may be left out; null needs no branch of its own."""
    members = schema.get("anyOf")
    if not isinstance(members, list):
        return schema
    real = [member for member in members if member.get("type") != "null"]
    beside = {key: value for key, value in schema.items() if key != "anyOf"}
    if len(real) == 1:
        return {**_resolved(real[0], defs, inside)[0], **beside}
    return {**beside, "anyOf": real}
