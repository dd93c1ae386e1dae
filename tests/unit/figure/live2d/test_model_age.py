"""A model is loaded again after half a day, when it isn't visible."""

import pytest

from neodeskpet.figure.live2d.model_upkeep import MOST_MODEL_SECONDS, ModelAge


def aged(seconds: float) -> ModelAge:
    age = ModelAge()
    for _ in range(4):
        age.advance(seconds / 4)
    return age


@pytest.mark.parametrize("seconds", [0.0, MOST_MODEL_SECONDS - 1])
def test_a_young_one_stays(seconds: float) -> None:
    age = aged(seconds)
    assert not age.is_due(seen=False, asleep=True, moving=False)


@pytest.mark.parametrize(
    ("seconds", "seen", "asleep", "moving", "due"),
    [
        (MOST_MODEL_SECONDS, False, False, True, True),
        (MOST_MODEL_SECONDS, True, False, False, False),
        (MOST_MODEL_SECONDS, True, True, False, True),
        (MOST_MODEL_SECONDS, True, True, True, False),
        (2 * MOST_MODEL_SECONDS, True, False, False, True),
        (2 * MOST_MODEL_SECONDS, True, False, True, False),
    ],
)
def test_an_old_one_is_replaced_while_hidden(
    seconds: float, seen: bool, asleep: bool, moving: bool, due: bool
) -> None:
    assert aged(seconds).is_due(seen=seen, asleep=asleep, moving=moving) is due


def test_the_new_one_is_young() -> None:
    age = aged(3 * MOST_MODEL_SECONDS)
    age.renew()
    assert not age.is_due(seen=False, asleep=True, moving=False)
