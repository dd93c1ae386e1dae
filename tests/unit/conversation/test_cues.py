"""A cue moves the body if it can be moved so, and is skipped if not."""

import pytest

from neodeskpet.conversation.chat_events import RunningChanged, TurnMoved
from neodeskpet.conversation.cues import Cues
from neodeskpet.core.turn.turn_events import RoundStarted
from neodeskpet.core.wire import CueKind, CueReached
from neodeskpet.live2d.stage import PaperStage
from tests.unit.live2d.doubles import description


@pytest.fixture
def stage() -> PaperStage:
    return PaperStage(description())


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
def test_a_cue(stage: PaperStage, kind: CueKind, name: str, played: list[object]) -> None:
    Cues(stage).hear(TurnMoved("m", CueReached(kind, name)))
    assert stage.played == played


def test_other_events_move_nothing(stage: PaperStage) -> None:
    Cues(stage).hear(TurnMoved("m", RoundStarted(0)))
    Cues(stage).hear(RunningChanged(True))
    assert stage.played == []
