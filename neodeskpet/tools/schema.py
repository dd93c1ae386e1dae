"""JSON Schema in the plainest form: what every provider takes, and what a model reads easily."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import cast

_NAMED = ("definitions", "$defs")
_MOST_PARTS = 20_000
_NOISE = ("title", "discriminator", "$schema", "$id", *_NAMED)


@dataclass(frozen=True, slots=True)
class _Frame:
    """What holds in the whole schema: its named parts, and whether objects are closed. `parts`
    counts what was written out.
    """

    named: Mapping[str, object]
    closed: bool
    parts: Iterator[int] = field(default_factory=count)


def plain_schema(schema: Mapping[str, object], *, closed: bool = True) -> dict[str, object]:
    """`schema` with references written out, titles, null branches and null defaults left out, and
    (if `closed`) every object closed (`additionalProperties: false`) that doesn't say otherwise.

    Raises TypeError for a schema that contains itself or is too large when it is written out
    (references to references multiply), KeyError for a reference to another place.
    """
    parts = [cast("Mapping[str, object]", schema.get(part, {})) for part in _NAMED]
    return _plain(schema, _Frame({**parts[0], **parts[1]}, closed), ())


def _plain(
    schema: Mapping[str, object], frame: _Frame, inside: tuple[str, ...]
) -> dict[str, object]:
    if next(frame.parts) > _MOST_PARTS:
        raise TypeError("A tool's parameters are too large when their references are written out")
    if isinstance(schema, bool):  # anything, or nothing at all
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
    """`schema` with its own `$ref` replaced; what stands beside the reference wins."""
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
    """An optional parameter is one that may be left out; null needs no branch of its own."""
    members = schema.get("anyOf")
    if not isinstance(members, list):
        return schema
    real = [one for one in members if isinstance(one, bool) or one.get("type") != "null"]
    beside = {key: value for key, value in schema.items() if key != "anyOf"}
    if len(real) == 1:
        return {**_resolved(real[0], frame, inside)[0], **beside}
    return {**beside, "anyOf": real}
