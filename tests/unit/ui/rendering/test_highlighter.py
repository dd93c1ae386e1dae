"""The highlighter uses another process, and survives its failures."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.platform.child_process import child_environment
from neodeskpet.ui.rendering.code_highlighter import MAX_CHARS, Highlighter
from neodeskpet.ui.rendering.code_spans import CodeSpans
from neodeskpet.ui.rendering.highlight_worker import lex
from tests.unit.ui.rendering.test_highlight_worker import BUSY

Got = list[CodeSpans | None]


def children() -> set[int]:
    """The running child processes of this one."""
    told = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, check=True
    )
    return {int(line.split()[0]) for line in told.stdout.splitlines() if b"python" in line}


def answers(qtbot: QtBot, highlighter: Highlighter, *asked: tuple[str, str]) -> list[Got]:
    got: list[Got] = [[] for _ in asked]
    for (code, language), one in zip(asked, got, strict=True):
        highlighter.ask(code, language, one.append)
    qtbot.waitUntil(lambda: all(got), timeout=60_000)
    return got


def test_colours_come_later(qtbot: QtBot) -> None:
    highlighter = Highlighter()
    got: Got = []
    highlighter.ask("x = 1", "python", got.append)
    assert got == []
    qtbot.waitUntil(lambda: bool(got), timeout=60_000)
    assert got == [lex("x = 1", "python")]


@pytest.mark.parametrize(("code", "language"), [("x", ""), ("x", "text"), ("x" * 150_001, "c")])
def test_a_text_without_colours_is_answered_at_once(qtbot: QtBot, code: str, language: str) -> None:
    got: Got = []
    Highlighter().ask(code, language, got.append)
    assert got == [None]


def test_a_text_that_takes_too_long_stays_plain(qtbot: QtBot) -> None:
    highlighter = Highlighter(seconds=1)
    assert answers(qtbot, highlighter, (BUSY, "c")) == [[None]]
    got: Got = []
    highlighter.ask(BUSY, "c", got.append)
    assert got == [None]  # cached

    def again(spans: CodeSpans | None) -> None:
        """If everything is slow, request other texts until one is fast enough."""
        coloured.append(spans)
        if spans is None:
            highlighter.ask(f"x = {len(coloured)}", "python", again)

    coloured: Got = []
    highlighter.ask("x = 0", "python", again)
    qtbot.waitUntil(lambda: any(spans is not None for spans in coloured), timeout=60_000)
    assert coloured[-1] == lex(f"x = {len(coloured) - 1}", "python")


def test_it_recovers_from_a_crash(qtbot: QtBot) -> None:
    before = children()
    highlighter = Highlighter()
    answers(qtbot, highlighter, ("x = 1", "python"))
    (child,) = children() - before
    os.kill(child, signal.SIGKILL)
    assert answers(qtbot, highlighter, ("y = 2", "python")) == [[lex("y = 2", "python")]]


def test_the_longest_text_works(qtbot: QtBot) -> None:
    code = "x = 1\n" * (MAX_CHARS // 6)
    (got,) = answers(qtbot, Highlighter(seconds=60), (code, "python"))
    assert got[0] is not None
    assert len(got[0]) >= MAX_CHARS // 6


def test_the_process_ends_with_its_owner(qtbot: QtBot) -> None:
    before = children()
    highlighter = Highlighter()
    answers(qtbot, highlighter, ("x = 1", "python"))
    assert children() - before
    del highlighter
    qtbot.waitUntil(lambda: not children() - before)


_APP = """
import os, sys
from PySide6.QtCore import QCoreApplication
from neodeskpet.ui.rendering.code_highlighter import Highlighter
app = QCoreApplication([])
highlighter = Highlighter()
def done(spans):
    highlighter.ask("a" + " " * 32_000 + "b", "c", print)
    print("ready", flush=True)
highlighter.ask("x = 1", "python", done)
sys.exit(app.exec())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_nothing_is_left_after_a_kill(qtbot: QtBot) -> None:
    app = subprocess.Popen([sys.executable, "-c", _APP], stdout=-1, env=child_environment())
    with app:
        assert app.stdout is not None
        assert app.stdout.readline() == b"ready\n"
        told = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(app.pid)], capture_output=True, check=True
        )
        (child,) = told.stdout.split()
        app.kill()

    def gone() -> bool:
        try:
            return Path(f"/proc/{int(child)}/stat").read_text().split()[2] == "Z"
        except FileNotFoundError:
            return True

    qtbot.waitUntil(gone, timeout=30_000)
