"""Each tool that can ask says what it asks in words."""

import ast
from pathlib import Path

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
