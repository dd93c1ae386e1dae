"""The window of the background prompts."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from pytestqt.qtbot import QtBot

from neodeskpet.conversation.errands.errand import Errand, Run
from neodeskpet.conversation.orchestrator import Outcome
from neodeskpet.core.blocks import MessageState, Notice
from neodeskpet.ui.tasks.errands import ErrandsWindow
from neodeskpet.ui.theme import LIGHT

STUCK = Notice(0, 0, "repeated_call", {"tool": "note.search", "count": "3"})
STOPPED = Outcome(MessageState.LIMITED, 1, (), "", STUCK)


class Errands:
    """An `ErrandsPort` with one run that a limit stopped."""

    listed: ClassVar = [Run(Errand("reminder", "x"), 0.0, STOPPED, STUCK.code, "r")]

    def observe(self, hear: Callable[[Run], object]) -> Callable[[], None]:
        return lambda: None


def test_a_tool_has_its_title(qtbot: QtBot) -> None:
    titles = {"note.search": "Search the notes"}
    window = ErrandsWindow(LIGHT, Errands(), titles.__getitem__, lambda: 10.0)
    qtbot.addWidget(window)
    window.present()
    assert "Search the notes" in window.shown.toPlainText()
    assert "note.search" not in window.shown.toPlainText()
