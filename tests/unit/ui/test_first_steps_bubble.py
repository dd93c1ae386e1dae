"""The bubble of the first steps keeps its content inside."""

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from pytestqt.qtbot import QtBot

from neodeskpet.ui.first_steps import Step
from neodeskpet.ui.first_steps_bubble import Answer, FirstStepsBubble, StepView
from neodeskpet.ui.pet.screen_geometry import BubblePosition, TailSide
from neodeskpet.ui.theme import DARK, LIGHT

PATH = "/usr/lib/python3.11/site-packages/models/SmolLM2-135M-Instruct.Q4_1.gguf · private"


def beside(size: QSize) -> BubblePosition:
    return BubblePosition(QRect(QPoint(100, 100), size), TailSide.NONE, 0)


@pytest.mark.usefixtures("qapp")
def test_the_long_name_of_a_model_is_shortened() -> None:
    bubble = FirstStepsBubble(LIGHT)
    bubble.set_place(beside)
    answers = (Answer("a", "llama.cpp", PATH, "computer"), Answer("b", "Later"))
    bubble.show_step(StepView(Step.SERVICE, "Who thinks?", "", answers, stacked=True))
    for button in bubble.buttons:
        assert button.mapTo(bubble, button.rect().topRight()).x() < bubble.width()
        assert button.width() >= button.sizeHint().width()
    first = bubble.buttons[0]
    assert "…" in first.text() and "private" in first.text()
    assert first.accessibleDescription() == PATH
    bubble.close()
    bubble.deleteLater()


def test_another_theme_keeps_the_focus_the_text_and_the_result(qtbot: QtBot) -> None:
    bubble = FirstStepsBubble(LIGHT)
    bubble.set_place(beside)
    answers = (Answer("a", "Go on", primary=True), Answer("b", "Later"))
    bubble.show_step(StepView(Step.NAME, "What shall I call you?", "", answers, "Neo"))
    qtbot.waitUntil(lambda: bubble.field is not None and bubble.field.hasFocus())
    assert bubble.field is not None
    bubble.field.setText("Ada Lovelace")
    bubble.field.setSelection(4, 8)
    bubble.show_result("The server is busy.", failed=True)
    bubble.set_theme(DARK)
    assert bubble.field.hasFocus()
    assert bubble.field.selectedText() == "Lovelace"
    assert bubble.result.text() == "The server is busy."
    bubble.buttons[1].setFocus()
    bubble.set_theme(LIGHT)
    assert bubble.buttons[1].hasFocus()
    bubble.close()
    bubble.deleteLater()
