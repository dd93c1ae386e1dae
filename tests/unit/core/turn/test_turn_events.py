"""The observable events of a turn: the union names every event, and no event is also a command."""

import dataclasses

from neodeskpet.core.turn import turn_events
from neodeskpet.core.turn.signals import Command
from neodeskpet.core.turn.turn_events import TurnEvent
from neodeskpet.core.wire import (
    CueReached,
    DescriptionAnnounced,
    LoadingAnnounced,
    PictureDescribed,
    RetryAnnounced,
    WaitAnnounced,
    WireEvent,
)


def test_the_union_is_complete() -> None:
    own = {
        value
        for value in vars(turn_events).values()
        if dataclasses.is_dataclass(value) and value.__module__ == turn_events.__name__
    }
    passed_on = set(TurnEvent.__args__) & set(WireEvent.__args__)
    assert set(TurnEvent.__args__) - passed_on == own
    assert passed_on == {
        CueReached,
        LoadingAnnounced,
        DescriptionAnnounced,
        PictureDescribed,
        RetryAnnounced,
        WaitAnnounced,
    }


def test_events_and_commands_have_different_types() -> None:
    assert not set(TurnEvent.__args__) & set(Command.__args__)
