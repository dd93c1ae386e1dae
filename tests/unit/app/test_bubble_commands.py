"""The commands for the speech bubbles choose the bubble that asks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect
from pytestqt.qtbot import QtBot

from neodeskpet.app.bubble_commands import BubbleCommands
from neodeskpet.ui.pet.speech_bubble import SpeechBubble

_LONG = " ".join(f"Sentence {number} is long enough for a line." for number in range(20))


@pytest.fixture
def bubbles(qtbot: QtBot) -> Iterator[list[SpeechBubble]]:
    made = [SpeechBubble(), SpeechBubble()]
    for bubble in made:
        bubble.place_in_corner(QRect(0, 0, 800, 600))
    yield made
    for bubble in made:
        bubble.clear()
        bubble.close()
        bubble.deleteLater()


def test_the_bubble_that_asks_comes_first(bubbles: list[SpeechBubble], qtbot: QtBot) -> None:
    steps: list[str] = []
    commands = BubbleCommands(lambda: bubbles, lambda: bool(steps))
    assert not commands.answer(), "nothing is shown"
    assert not commands.next_page()
    assert not commands.dismiss()
    steps.append("shown")
    assert commands.answer()
    bubbles[0].show_notice(_LONG)
    first = bubbles[0].page_text
    assert commands.next_page()
    assert bubbles[0].page_text != first
    bubbles[1].ask("q", "May I?", (("yes", "Yes"),))
    assert commands.dismiss(), "the question gets the focus"
    assert bubbles[1].is_used
    bubbles[1].withdraw("q")
    qtbot.waitUntil(lambda: not bubbles[1].isVisible())
    assert commands.dismiss()
    assert not bubbles[0].is_speaking


def test_each_command_has_keys_of_its_own() -> None:
    commands = BubbleCommands(list, lambda: False).commands
    assert len({keys for one in commands for keys in one.keys}) == len(commands) == 3
