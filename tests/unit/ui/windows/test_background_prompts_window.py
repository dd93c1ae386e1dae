"""The window of the background prompts."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from pytestqt.qtbot import QtBot

from neodeskpet.conversation.background_prompts import BackgroundPrompt, PromptRun
from neodeskpet.conversation.turn_run import RunOutcome
from neodeskpet.core.blocks import MessageState, Notice
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.background_prompts_window import BackgroundPromptsWindow

STUCK = Notice(0, 0, "repeated_call", {"tool": "note.search", "count": "3"})
STOPPED = RunOutcome(MessageState.LIMITED, 1, (), "", STUCK)


class Errands:
    """A `BackgroundPromptsPort` with one run that a limit stopped."""

    all_runs: ClassVar = [
        PromptRun(BackgroundPrompt("reminder", "x"), 0.0, STOPPED, STUCK.code, "r")
    ]

    def subscribe(self, hear: Callable[[PromptRun], object]) -> Callable[[], None]:
        return lambda: None


def test_a_tool_has_its_title(qtbot: QtBot) -> None:
    titles = {"note.search": "Search the notes"}
    window = BackgroundPromptsWindow(LIGHT, Errands(), titles.__getitem__, lambda: 10.0)
    qtbot.addWidget(window)
    window.present()
    assert "Search the notes" in window.reply_text.toPlainText()
    assert "note.search" not in window.reply_text.toPlainText()
