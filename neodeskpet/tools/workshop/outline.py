"""What a file of tools declares, read without running it.

Pure. What is written out in the file is found: `@tool("dice.roll", risk=Risk.READ)` over a function
with a docstring. A name that is made up as the file runs can't be known before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

MOST_SOURCE_CHARACTERS = 256_000
"""Characters of a file that is read at all."""
_DESCRIBED = 300


@dataclass(frozen=True, slots=True)
class SourceFault:
    """Why a file can't be used: Python's words for it, and the line it is in, 0 if in none."""

    words: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool as it stands in the file; "" for what isn't written out there."""

    name: str
    description: str = ""
    risk: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class ToolFileOutline:
    """`about` is the first paragraph of the file; `imports` the packages it uses."""

    about: str = ""
    tools: tuple[DeclaredTool, ...] = ()
    imports: tuple[str, ...] = ()
    fault: SourceFault | None = None


def read_outline(source: str) -> ToolFileOutline:
    """Raises nothing: a file that is no Python has a `fault`."""
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
    """The last word of `Risk.READ`, "" of anything else."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _paragraph(text: str | None) -> str:
    return " ".join((text or "").split("\n\n", 1)[0].split())[:_DESCRIBED]
