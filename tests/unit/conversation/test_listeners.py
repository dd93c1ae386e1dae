"""Every listener hears every event, whatever the others do."""

from __future__ import annotations

import logging

import pytest

from neodeskpet.conversation.listeners import Fan, QuietListener
from neodeskpet.core.turn_events import RoundStarted, TurnEvent


class Hearing(QuietListener):
    def __init__(self) -> None:
        self.heard: list[TurnEvent] = []

    def see(self, message_id: str, event: TurnEvent) -> None:
        self.heard.append(event)


class Failing(QuietListener):
    def see(self, message_id: str, event: TurnEvent) -> None:
        raise RuntimeError("broken")


def test_one_that_fails_blinds_no_other(caplog: pytest.LogCaptureFixture) -> None:
    hearing = Hearing()
    with caplog.at_level(logging.ERROR):
        Fan([Failing(), hearing]).see("m", RoundStarted(0))
    assert hearing.heard == [RoundStarted(0)]
    assert "RoundStarted" in caplog.text


def test_one_that_joins_later_hears_from_then_on() -> None:
    listeners: list[Hearing] = []
    fan = Fan(listeners)
    fan.see("m", RoundStarted(0))
    listeners.append(Hearing())
    fan.see("m", RoundStarted(1))
    assert listeners[0].heard == [RoundStarted(1)]
