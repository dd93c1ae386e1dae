"""What the app and the process of a tool file tell each other: JSON, a line each.

The app writes `{"file", "source"}` first, then `{"call", "tool", "arguments"}`. The process answers
`{"tools": [...]}` or `{"broken": {"words", "line"}}`, then `{"progress", "fraction", "text"}` and
one `{"done", "result"}` or `{"done", "fault"}` for each call. What it answers is read as what
somebody else wrote.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Any, get_args

from pydantic import TypeAdapter

from neodeskpet.core.errors import ToolCrashed, ToolError, ToolFault, error_class
from neodeskpet.core.picture import MOST_ATTACHMENTS, Picture, name_by_content
from neodeskpet.core.scope import ScopeKind
from neodeskpet.core.tool_result import Shown, ToolResult
from neodeskpet.core.toolspec import Mode, Risk, ToolSpec

LONGEST_LINE = 8 << 20
"""Bytes of one line; a longer one ends the process."""


def spec_to_json(spec: ToolSpec) -> dict[str, object]:
    return {
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        "risk": spec.risk,
        "mode": spec.mode,
        "main_argument": spec.main_argument,
        "timeout": spec.timeout,
        "scope": spec.scope,
        "title": spec.title,
    }


def spec_from_json(told: Mapping[str, Any]) -> ToolSpec:
    """Raises KeyError, TypeError and ValueError. A risk that isn't known asks."""
    risk, mode = str(told.get("risk")), str(told.get("mode"))
    return ToolSpec(
        str(told["name"]),
        str(told["description"]),
        dict(told["parameters"]),
        risk=Risk(risk) if risk in set(Risk) else Risk.WRITE,
        mode=Mode(mode) if mode in set(Mode) else Mode.SYNC,
        main_argument=str(told.get("main_argument", "")),
        timeout=min(max(float(told.get("timeout", 60)), 1.0), 3600.0),
        scope={str(name): ScopeKind(reach) for name, reach in dict(told.get("scope", {})).items()},
        title=str(told.get("title", "")),
    )


def result_to_json(result: ToolResult) -> dict[str, object]:
    shown = result.shown
    return {
        "text": result.text,
        "data": result.data,
        "shown": None if shown is None else {"kind": shown.kind, **asdict(shown)},
        "images": [
            {"data": base64.b64encode(one.data).decode(), "type": one.media_type, "name": one.name}
            for one in result.images[:MOST_ATTACHMENTS]
        ],
        "continue": result.continue_,
    }


def result_from_json(told: Mapping[str, Any]) -> ToolResult:
    """Raises KeyError, TypeError and ValueError."""
    return ToolResult(
        str(told["text"]),
        told.get("data"),
        _shown(told.get("shown")),
        tuple(_picture(one) for one in list(told.get("images", ()))[:MOST_ATTACHMENTS]),
        bool(told.get("continue", True)),
    )


def _shown(told: Mapping[str, Any] | None) -> Shown | None:
    if told is None:
        return None
    made: Shown = _kinds()[str(told["kind"])].validate_python(
        {name: value for name, value in told.items() if name != "kind"}
    )
    return made


@cache
def _kinds() -> Mapping[str, TypeAdapter[Any]]:
    return {kind.kind: TypeAdapter(kind) for kind in get_args(Shown)}


def _picture(told: Mapping[str, Any]) -> Picture:
    data = base64.b64decode(told["data"], validate=True)
    return Picture(name_by_content(data), data, str(told["type"]), str(told["name"]))


def fault_to_json(error: ToolError) -> dict[str, object]:
    return {**asdict(ToolFault.of(error)), "advice": error.advice}


_FAULT = TypeAdapter(ToolFault)


def error_from_json(told: Mapping[str, Any]) -> ToolError:
    """Raises KeyError, TypeError and ValueError."""
    fault = _FAULT.validate_python({k: v for k, v in told.items() if k != "advice"})
    kind = error_class(fault.code)
    made = kind if issubclass(kind, ToolError) else ToolCrashed
    advice = str(told.get("advice", ""))
    return made(fault.detail, reasons=fault.reasons, advice=advice, **fault.params)
