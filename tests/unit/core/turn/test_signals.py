"""Signals and commands: the unions name every class of the module once."""

import dataclasses

from neodeskpet.core.turn import signals
from neodeskpet.core.turn.signals import ApprovalGiven, Begun, Command, Signal
from neodeskpet.core.wire import WireEvent


def test_every_value_is_a_signal_or_a_command() -> None:
    own = {
        value
        for value in vars(signals).values()
        if dataclasses.is_dataclass(value) and value.__module__ == signals.__name__
    }
    told, asked = set(Signal.__args__), set(Command.__args__)
    assert told - set(WireEvent.__args__) | asked == own
    assert not told & asked


def test_every_event_of_a_model_is_a_signal() -> None:
    assert set(WireEvent.__args__) <= set(Signal.__args__)


def test_optional_fields() -> None:
    assert Begun() == Begun(None)
    assert ApprovalGiven(0, True) == ApprovalGiven(0, True, "", None)
