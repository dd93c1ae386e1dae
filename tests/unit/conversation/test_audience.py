"""Each listener of a chat gets the kinds of events that it named, in order, independent of the
others.
"""

from __future__ import annotations

import logging

import pytest

from neodeskpet.conversation.chat_events import (
    ChatEvent,
    ListenerList,
    RunningChanged,
    TurnAdvanced,
)
from neodeskpet.core.blocks import MessageState
from neodeskpet.core.turn.turn_events import TextAppended, TurnEnded

PIECE = TurnAdvanced("m", TextAppended(0, "a"))
END = TurnAdvanced("m", TurnEnded(MessageState.DONE, 0.0))
BEGUN = RunningChanged(True)


class Ear:
    def __init__(self, name: str, told: list[tuple[str, ChatEvent]]) -> None:
        self.name = name
        self.render = told

    def on_chat_event(self, event: ChatEvent) -> None:
        self.render.append((self.name, event))
        if self.name == "broken":
            raise ValueError("a listener's own fault")


def test_each_listener_gets_the_kinds_it_named() -> None:
    told: list[tuple[str, ChatEvent]] = []
    audience = ListenerList()
    audience.add(Ear("all", told))
    audience.add(Ear("end", told), TurnEnded)
    audience.add(Ear("running", told), RunningChanged)
    for event in (BEGUN, PIECE, END):
        audience.notify(event)
    assert told == [
        ("all", BEGUN),
        ("running", BEGUN),
        ("all", PIECE),
        ("all", END),
        ("end", END),
    ]


def test_a_later_listener_gets_later_events() -> None:
    told: list[tuple[str, ChatEvent]] = []
    audience = ListenerList()
    audience.notify(PIECE)
    audience.add(Ear("late", told))
    audience.add(Ear("end", told), TurnEnded)
    audience.notify(PIECE)
    audience.notify(END)
    assert told == [("late", PIECE), ("late", END), ("end", END)]


def test_an_error_of_one_listener_does_not_affect_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[tuple[str, ChatEvent]] = []
    audience = ListenerList()
    audience.add(Ear("broken", told))
    audience.add(Ear("all", told))
    with caplog.at_level(logging.ERROR):
        audience.notify(BEGUN)
    assert [name for name, _ in told] == ["broken", "all"]
    assert "a listener's own fault" in caplog.text
