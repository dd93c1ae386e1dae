"""Each tool that can ask has a question in words."""

import ast
from pathlib import Path

import pytest

import neodeskpet

_SILENT = {"READ", "GESTURE"}


def _declared() -> dict[str, dict[str, str]]:
    """The keywords of each `@tool(...)` of the app, as source text, by the tool's name."""
    found: dict[str, dict[str, str]] = {}
    package = Path(neodeskpet.__file__).parent
    for file in (*package.glob("tools/**/*.py"), *package.glob("notebook/*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "tool" and call.args:
                    words = {one.arg: ast.unparse(one.value) for one in call.keywords if one.arg}
                    found[ast.unparse(call.args[0])] = words
    return found


def test_each_tool_that_can_ask_has_a_question() -> None:
    declared = _declared()
    assert len(declared) > 30
    risky = {
        name
        for name, words in declared.items()
        if not words["risk"].startswith("Risk.") or words["risk"].split(".")[1] not in _SILENT
    }
    assert {"'note.delete'", "'shell.run'", "'file.write'", "'clipboard.read'"} <= risky
    assert {name for name in risky if "ask" not in declared[name]} == set()


def _has_words(call: ast.Call) -> bool:
    """Whether a result has a brief, or content whose size the card can give."""
    if any(keyword.arg == "brief" for keyword in call.keywords):
        return True
    shown = [*call.args[2:3], *(one.value for one in call.keywords if one.arg == "shown")]
    names = {node.id for one in shown for node in ast.walk(one) if isinstance(node, ast.Name)}
    return bool(names & {"ShownList", "ShownTable", "ShownDiff"})


@pytest.mark.parametrize(
    "room",
    [
        "tools/builtin",
        "tools/apps",
        "tools/tool_search.py",
        "notebook",
        "toolkit/large_results.py",
        "external_api/companion_tools.py",
    ],
)
def test_every_result_has_a_text_for_the_closed_card(room: str) -> None:
    package = Path(neodeskpet.__file__).parent / room
    files = sorted(package.rglob("*.py")) if package.is_dir() else [package]
    wordless = [
        f"{file.name}:{node.lineno}"
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "ToolResult"
        and not _has_words(node)
    ]
    assert wordless == []
