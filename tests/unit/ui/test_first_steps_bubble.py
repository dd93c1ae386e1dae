"""The bubble of the first steps keeps its content inside."""

import pytest
from PySide6.QtCore import QPoint, QRect, QSize

from neodeskpet.ui.first_steps import Step
from neodeskpet.ui.first_steps_bubble import Answer, FirstStepsBubble, StepView
from neodeskpet.ui.pet.screen_geometry import BubblePosition, TailSide
from neodeskpet.ui.theme import LIGHT

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
