"""The pill follows the companion, the voices and the quiet mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.app.quiet_mode import QuietMode
from neodeskpet.app.sign_controllers import (
    PillActions,
    PillCompanion,
    StatePillController,
)
from neodeskpet.core.blocks import MessageState, ToolStatus, ToolUse
from neodeskpet.core.speech_bubble import BubbleRank
from neodeskpet.core.turn.turn_events import BlockEnded, BlockStarted, TurnEnded, TurnStarted
from neodeskpet.ui.companion_menu import CompanionMenu
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter, connect_window
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from neodeskpet.ui.theme import LIGHT


@dataclass
class Speech:
    is_audible: bool = False
    on_started: Callable[[], object] = lambda: None
    on_finished: Callable[[], object] = lambda: None
    silenced: int = 0

    def silence(self) -> None:
        self.silenced += 1
        self.is_audible = False
        self.on_finished()


@dataclass
class Voice:
    hearing_since: float | None = None
    hearing_level: float = 0.0


@dataclass
class Scene:
    pet: PetWindow
    bubble: SpeechBubble
    presenter: CompanionPresenter
    menu: CompanionMenu
    speech: Speech = field(default_factory=Speech)
    voice: Voice = field(default_factory=Voice)
    did: list[str] = field(default_factory=list)
    is_allowed: bool = True

    def __post_init__(self) -> None:
        async def load(_key: str) -> str | None:
            return None

        self.quiet = QuietMode(self.menu, lambda on: self.quiet.show(on), load, lambda _k, _v: None)
        self.controller = StatePillController(
            PillCompanion(
                self.pet, self.bubble, self.presenter, self.speech, self.quiet, lambda: self.voice
            ),
            PillActions(
                show_question=lambda: self.did.append("question"),
                is_allowed=lambda: self.is_allowed,
                end_quiet=lambda: self.quiet.show(False),
                end_listening=lambda: self.did.append("listening"),
            ),
            LIGHT,
            self.pet,
        )

    @property
    def words(self) -> str:
        pill = self.controller.pill.created
        return pill.accessibleName() if pill is not None and pill.isVisible() else ""

    def ask_call(self) -> None:
        call = ToolUse(1, 0, "c", "files.write", status=ToolStatus.ASKING)
        self.presenter.apply([("m", TurnStarted("m")), ("m", BlockStarted(call))])

    def click(self, qtbot: QtBot) -> None:
        qtbot.mouseClick(self.controller.pill.window, Qt.MouseButton.LeftButton)


@pytest.fixture
def scene(qapp: QApplication, tmp_path: Path) -> Iterator[Scene]:
    pet, bubble = PetWindow(tmp_path, core=False), SpeechBubble()
    pet.show()
    presenter = connect_window(pet, bubble)
    bubble.place_beside(QRect(400, 300, 200, 300), QPoint(500, 400), QRect(0, 0, 1600, 1200))
    made = Scene(pet, bubble, presenter, CompanionMenu(LIGHT))
    yield made
    made.controller.close()
    bubble.clear()
    bubble.close()
    bubble.deleteLater()
    made.menu.deleteLater()
    pet.close()
    pet.deleteLater()


def test_a_click_on_the_question_of_a_tool_goes_to_the_bubble(scene: Scene, qtbot: QtBot) -> None:
    assert scene.words == ""
    scene.ask_call()
    assert scene.words == "Use “files.write”?"
    qtbot.waitUntil(lambda: scene.bubble.shows_question)
    scene.click(qtbot)
    assert scene.did == [], "it is in the bubble"
    qtbot.waitUntil(lambda: scene.bubble.is_used)
    scene.bubble.leave_keyboard()
    key = "call m 1"
    scene.bubble.set_seen_in_chat(reply=True, questions=[key], chat_shown=True)
    scene.click(qtbot)
    assert scene.did == ["question"], "it is only in the chat"
    done = ToolUse(1, 0, "c", "files.write", status=ToolStatus.DENIED)
    scene.presenter.apply([("m", BlockEnded(done)), ("m", TurnEnded(MessageState.DONE, 1.0))])
    assert scene.words == ""


def test_it_shows_questions_of_all_kinds_but_no_timer(scene: Scene) -> None:
    scene.presenter.ask("drop", "What shall I do with **notes.md**?\n\nIt is short.", (("y", "Y"),))
    assert scene.words == "What shall I do with notes.md?"
    scene.presenter.ask_external("other", "Deploy now?\nTo production", (("n", "No"),), "plug")
    assert scene.words == "Deploy now?", "the newest"
    scene.presenter.withdraw("other")
    assert scene.words == "What shall I do with notes.md?"
    scene.presenter.withdraw("drop")
    assert scene.words == ""
    scene.presenter.ask("tea", "Tea", (("d", "Dismiss"),), rank=BubbleRank.TIMER)
    assert scene.words == ""


def test_it_follows_the_voices(scene: Scene, qtbot: QtBot) -> None:
    scene.speech.is_audible = True
    scene.speech.on_started()
    assert scene.words == "Speaking"
    scene.voice.hearing_since, scene.voice.hearing_level = 0.0, 0.5
    scene.controller.update()
    assert scene.words == "Listening"
    scene.click(qtbot)
    assert scene.did == ["listening"]
    scene.voice.hearing_since = None
    scene.controller.update()
    scene.click(qtbot)
    assert scene.speech.silenced == 1
    assert scene.words == ""


def test_the_quiet_mode_is_ended_by_a_click(scene: Scene, qtbot: QtBot) -> None:
    scene.quiet.quiet_for_an_hour()
    assert scene.words.startswith("until ")
    scene.is_allowed = False
    scene.controller.update()
    assert scene.words == "", "the line for messages is at its place"
    scene.is_allowed = True
    scene.controller.update()
    told: list[tuple[str, bool]] = []
    scene.controller.lasting_state_changed.connect(lambda words, seen: told.append((words, seen)))
    scene.pet.hide()
    assert scene.words == ""
    scene.pet.show()
    until = f"Quiet {scene.words}"
    scene.click(qtbot)
    assert scene.words == ""
    assert told == [(until, False), (until, True), ("", True)]


def test_a_further_companion_has_a_pill_without_voice_and_quiet_mode(
    scene: Scene, qtbot: QtBot
) -> None:
    pill = StatePillController(
        PillCompanion(scene.pet, scene.bubble, scene.presenter),
        PillActions(lambda: None, lambda: True),
        LIGHT,
        scene.pet,
    )
    scene.ask_call()
    assert pill.pill.window.accessibleName() == "Use “files.write”?"
    pill.close()
