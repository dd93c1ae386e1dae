"""The microphone button, and recognized text in the field."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.chat.composer.dictation import HOLD_SECONDS, DictationButton, DictationState
from neodeskpet.ui.theme import LIGHT

LEFT = Qt.MouseButton.LeftButton


class Scene:
    def __init__(self, composer: Composer) -> None:
        self.now = 0.0
        self.heard: list[str] = []
        self.button = DictationButton(LIGHT, composer, clock=lambda: self.now)
        self.button.started.connect(lambda: self._hear("start", DictationState.LISTENING))
        self.button.ended.connect(lambda: self._hear("end", DictationState.RECOGNIZING))
        self.button.cancelled.connect(lambda: self._hear("cancel", DictationState.READY))
        self.button.show_state(DictationState.READY)

    def _hear(self, what: str, state: DictationState) -> None:
        self.heard.append(what)
        self.button.show_state(state)


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    made = Composer(LIGHT)
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_button_is_visible_while_listening_is_on(composer: Composer) -> None:
    assert composer.dictation.isHidden()
    composer.dictation.show_state(DictationState.READY)
    assert not composer.dictation.isHidden()
    assert composer.dictation.accessibleName() == "Speak"


def test_one_click_starts_a_second_ends_and_a_third_cancels(
    composer: Composer, qtbot: QtBot
) -> None:
    scene = Scene(composer)
    for _ in range(3):
        qtbot.mouseClick(scene.button, LEFT)
    assert scene.heard == ["start", "end", "cancel"]


def test_a_held_button_ends_when_it_is_released(composer: Composer, qtbot: QtBot) -> None:
    scene = Scene(composer)
    qtbot.mousePress(scene.button, LEFT)
    scene.now += HOLD_SECONDS
    qtbot.mouseRelease(scene.button, LEFT)
    assert scene.heard == ["start", "end"]


def test_a_release_after_a_device_failure_ends_nothing(composer: Composer, qtbot: QtBot) -> None:
    scene = Scene(composer)
    qtbot.mousePress(scene.button, LEFT)
    scene.button.show_state(DictationState.READY)
    scene.now += HOLD_SECONDS
    qtbot.mouseRelease(scene.button, LEFT)
    assert scene.heard == ["start"]


def test_partial_text_is_replaced_and_the_final_one_can_be_corrected(composer: Composer) -> None:
    composer.set_draft("So")
    composer.show_dictated("I scream", is_final=False)
    assert composer.draft() == "So I scream"
    composer.show_dictated("ice cream", is_final=True)
    assert composer.draft() == "So ice cream"
    composer.field.insert("!")
    composer.show_dictated("And more", is_final=True)
    assert composer.draft() == "So ice cream! And more"


def test_the_text_is_inserted_at_the_cursor_and_replaces_the_selection(composer: Composer) -> None:
    composer.set_draft("早上好")
    composer.field.moveCursor(composer.field.textCursor().MoveOperation.Start)
    composer.show_dictated("大家", is_final=True)
    assert composer.draft() == "大家早上好"
    composer.field.selectAll()
    composer.show_dictated("你好", is_final=True)
    assert composer.draft() == "你好"


def test_a_read_only_field_is_unchanged(composer: Composer) -> None:
    composer.field.setReadOnly(True)
    composer.show_dictated("Hello", is_final=True)
    assert composer.draft() == ""
