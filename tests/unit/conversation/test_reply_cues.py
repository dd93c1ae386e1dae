"""A cue moves the figure if the figure has it, and is skipped otherwise."""

from collections.abc import Callable

import pytest

from neodeskpet.conversation.chat_events import RunningChanged, TurnAdvanced
from neodeskpet.conversation.reply_cues import FigureCues
from neodeskpet.core.turn.turn_events import RoundStarted
from neodeskpet.core.wire import CueKind, CueReached
from neodeskpet.figure.stage import NullStage
from tests.unit.figure.doubles import description


@pytest.fixture
def stage() -> NullStage:
    return NullStage(description())


@pytest.mark.parametrize(
    ("kind", "name", "played"),
    [
        (CueKind.EXPRESSION, "smile", [("express", "smile")]),
        (CueKind.EXPRESSION, "SMILE", [("express", "smile")]),
        (CueKind.EXPRESSION, "Wave", []),
        (CueKind.MOTION, "wave", [("play", "Wave", None)]),
        (CueKind.MOTION, "Moonwalk", []),
    ],
)
def test_a_cue(stage: NullStage, kind: CueKind, name: str, played: list[object]) -> None:
    FigureCues(stage).on_chat_event(TurnAdvanced("m", CueReached(kind, name)))
    assert stage.commands == played


def test_other_events_move_nothing(stage: NullStage) -> None:
    FigureCues(stage).on_chat_event(TurnAdvanced("m", RoundStarted(0)))
    FigureCues(stage).on_chat_event(RunningChanged(True))
    assert stage.commands == []


def test_a_cue_waits_for_the_sound_of_the_reply(stage: NullStage) -> None:
    waiting: list[Callable[[], None]] = []
    cues = FigureCues(stage, waiting.append)
    cues.on_chat_event(TurnAdvanced("m", CueReached(CueKind.EXPRESSION, "smile")))
    cues.on_chat_event(TurnAdvanced("m", CueReached(CueKind.MOTION, "wave")))
    assert stage.commands == []
    for move in waiting:
        move()
    assert stage.commands == [("express", "smile"), ("play", "Wave", None)]
