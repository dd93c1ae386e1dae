"""Reads the declarations of a tool file without running it, and defines the messages between the
app and its process: JSON, one line each. The process's answers are untrusted.
"""

from __future__ import annotations

import ast
import base64
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, get_args

from pydantic import TypeAdapter

from neodeskpet.core.attachments import MOST_ATTACHMENTS, Picture, name_by_content
from neodeskpet.core.errors import ToolCrashed, ToolError, ToolFault, content_class
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.tool_result import Shown, ToolResult
from neodeskpet.core.toolspec import Mode, Risk, ToolSpec

MOST_SOURCE_CHARACTERS = 256_000
"""Most characters of a tool file."""
_DESCRIBED = 300


@dataclass(frozen=True, slots=True)
class SourceFault:
    """Why a file can't be used: Python's message, and the line, 0 if unknown."""

    words: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool as declared in the file; "" for values that aren't literals."""

    name: str
    description: str = ""
    risk: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class ToolFileOutline:
    """`about` is the first paragraph of the module's docstring; `imports` are the packages that it
    imports.
    """

    about: str = ""
    tools: tuple[DeclaredTool, ...] = ()
    imports: tuple[str, ...] = ()
    fault: SourceFault | None = None


def read_outline(source: str) -> ToolFileOutline:
    """Read the declarations. Raises nothing: if the source isn't valid Python, the outline has a
    `fault`.
    """
    try:
        tree = ast.parse(source)
        return ToolFileOutline(
            _paragraph(ast.get_docstring(tree)),
            tuple(_tools(tree)),
            tuple(sorted({name.partition(".")[0] for name in _imports(tree)} - {"__future__"})),
        )
    except SyntaxError as error:
        return ToolFileOutline(
            fault=SourceFault(f"{type(error).__name__}: {error.msg}", error.lineno or 0)
        )
    except (ValueError, RecursionError, MemoryError) as error:
        return ToolFileOutline(fault=SourceFault(f"{type(error).__name__}: {error}".rstrip(": ")))


def _tools(tree: ast.Module) -> Iterator[DeclaredTool]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for made in node.decorator_list:
            if isinstance(made, ast.Call) and _name(made.func) == "tool":
                said = {one.arg: one.value for one in made.keywords}
                first = made.args[0] if made.args else said.get("name")
                words = _paragraph(ast.get_docstring(node))
                yield DeclaredTool(_text(first), words, _name(said.get("risk")), node.lineno)


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _name(node: ast.expr | None) -> str:
    """Return the last part of a name such as `Risk.READ`, "" for other expressions."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _paragraph(text: str | None) -> str:
    return " ".join((text or "").split("\n\n", 1)[0].split())[:_DESCRIBED]


LONGEST_LINE = 8 << 20
"""Most bytes of one line; a longer one ends the process."""


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


def spec_from_json(record: Mapping[str, Any]) -> ToolSpec:
    """Read a spec; an unknown risk becomes one that asks. Raises KeyError, TypeError and
    ValueError.
    """
    risk, mode = str(record.get("risk")), str(record.get("mode"))
    return ToolSpec(
        str(record["name"]),
        str(record["description"]),
        dict(record["parameters"]),
        risk=Risk(risk) if risk in set(Risk) else Risk.WRITE,
        mode=Mode(mode) if mode in set(Mode) else Mode.SYNC,
        main_argument=str(record.get("main_argument", "")),
        timeout=min(max(float(record.get("timeout", 60)), 1.0), 3600.0),
        scope={
            str(name): ScopeKind(reach) for name, reach in dict(record.get("scope", {})).items()
        },
        title=str(record.get("title", "")),
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


def result_from_json(record: Mapping[str, Any]) -> ToolResult:
    """Read it from JSON. Raises KeyError, TypeError and ValueError."""
    return ToolResult(
        str(record["text"]),
        record.get("data"),
        _shown(record.get("shown")),
        tuple(_picture(one) for one in list(record.get("images", ()))[:MOST_ATTACHMENTS]),
        bool(record.get("continue", True)),
    )


def _shown(record: Mapping[str, Any] | None) -> Shown | None:
    if record is None:
        return None
    made: Shown = _kinds()[str(record["kind"])].validate_python(
        {name: value for name, value in record.items() if name != "kind"}
    )
    return made


@cache
def _kinds() -> Mapping[str, TypeAdapter[Any]]:
    return {kind.kind: TypeAdapter(kind) for kind in get_args(Shown)}


def _picture(record: Mapping[str, Any]) -> Picture:
    data = base64.b64decode(record["data"], validate=True)
    return Picture(name_by_content(data), data, str(record["type"]), str(record["name"]))


def fault_to_json(error: ToolError) -> dict[str, object]:
    return {**asdict(ToolFault.of(error)), "advice": error.advice}


_FAULT = TypeAdapter(ToolFault)


def error_from_json(record: Mapping[str, Any]) -> ToolError:
    """Read it from JSON. Raises KeyError, TypeError and ValueError."""
    fault = _FAULT.validate_python({k: v for k, v in record.items() if k != "advice"})
    kind = content_class(fault.code)
    made = kind if issubclass(kind, ToolError) else ToolCrashed
    advice = str(record.get("advice", ""))
    return made(fault.detail, reasons=fault.reasons, advice=advice, **fault.params)
