"""The events of a response are values, and the union names all of them."""

import dataclasses

import pytest

from neodeskpet.core import wire
from neodeskpet.core.wire import ResponseFinished, Stop, UsageReported, WireEvent


def kinds() -> set[type]:
    return {value for value in vars(wire).values() if dataclasses.is_dataclass(value)}  # type: ignore[misc]


def test_the_union_is_complete() -> None:
    assert set(WireEvent.__args__) == kinds()


@pytest.mark.parametrize("kind", sorted(kinds(), key=lambda kind: kind.__name__))
def test_events_are_frozen_and_slotted(kind: type) -> None:
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(kind)


def test_what_a_provider_need_not_say() -> None:
    assert ResponseFinished(Stop.END).raw is None
    assert UsageReported(1, 2) == UsageReported(1, 2, 0, 0, None)
