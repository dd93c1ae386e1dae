"""Opening a program: the one that was named, without a shell."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest

from neodeskpet.core.errors import InvalidArguments, ToolFailed
from neodeskpet.core.grant_scope import constraints_of
from neodeskpet.core.tool_result import ShownText, ToolResult
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.applications import Application, application_tools

WRITES = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"


def run(known: list[Application], name: str) -> ToolResult:
    async def work() -> ToolResult:
        offer = Toolbox(AppTools(application_tools(lambda: known))).offer()
        return await offer.run("app.open", {"name": name}, lambda *_: None)

    return asyncio.run(work())


def program(name: str, *command: str) -> Application:
    return Application((name,), Path(), (sys.executable, "-c", *command))


def test_it_is_started_with_its_literal_arguments(tmp_path: Path) -> None:
    said = tmp_path / "said"
    words = "$HOME; `x` 'y'"
    assert "was opened" in run([program("Notes", WRITES, str(said), words)], "notes").text
    end = time.monotonic() + 20  # A program that takes time to start isn't awaited.
    while not (said.exists() and said.read_text()):
        assert time.monotonic() < end
        time.sleep(0.01)
    assert said.read_text() == words


def test_a_program_that_stays_open_is_not_awaited() -> None:
    assert "opened" in run([program("Stays", "import time; time.sleep(2)")], "Stays").text


def test_a_program_that_ends_at_once_is_a_failure() -> None:
    with pytest.raises(ToolFailed, match="exit code 3"):
        run([Application(("Broken",), Path(), ("sh", "-c", "exit 3"))], "Broken")


def test_an_unknown_program_is_answered_with_similar_names() -> None:
    with pytest.raises(InvalidArguments, match="Similar names: Firefox"):
        run([program("Firefox", "")], "firefx")
    with pytest.raises(InvalidArguments, match="there is no program named zzz"):
        run([program("Firefox", "")], "zzz")


def test_the_question_shows_the_command_and_always_holds_for_this_program() -> None:
    known = [program("Notes", "print(1)")]
    (tool,) = application_tools(lambda: known)
    preview = asyncio.run(tool.preview_call({"name": "notes"}))
    assert preview.question is not None
    assert str(preview.question.title) == "Start “Notes”?"
    assert preview.shown == ShownText(f"Notes\n{sys.executable} -c 'print(1)'")
    assert asyncio.run(tool.preview_call({"name": "other"})).error is not None
    assert constraints_of(tool.scope, {"name": "notes"}) is not None
