"""The tools' documentation in Markdown, from their declarations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from neodeskpet.core.toolspec import ToolSpec


def write_manual(specs: Iterable[ToolSpec]) -> str:
    """One section a tool: what it does, its risk, its arguments."""
    return "\n".join(line for spec in specs for line in _section(spec))


def _section(spec: ToolSpec) -> Iterator[str]:
    yield f"### `{spec.name}`\n"
    yield f"{spec.description}\n"
    eager = ", acts while the reply still streams" if spec.eager else ""
    yield f"Risk: {spec.risk.value}{eager}. Time limit: {spec.timeout:g} s.\n"
    properties = cast("Mapping[str, Mapping[str, object]]", spec.parameters.get("properties", {}))
    required = cast("Sequence[str]", spec.parameters.get("required", ()))
    for name, schema in properties.items():
        optional = "" if name in required else ", optional"
        yield f"- `{name}` ({_kind(schema)}{optional}): {schema.get('description', '')}"
    if properties:
        yield ""


def _kind(schema: Mapping[str, object]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(v, ensure_ascii=False) for v in _list(schema))
    if "anyOf" in schema:
        members = cast("Sequence[Mapping[str, object]]", schema["anyOf"])
        return " or ".join(_kind(member) for member in members)
    kind = str(schema.get("type", "any"))
    if kind == "array":
        return f"list of {_kind(cast('Mapping[str, object]', schema.get('items', {})))}"
    return kind


def _list(schema: Mapping[str, object]) -> Sequence[object]:
    return cast("Sequence[object]", schema["enum"])
