from __future__ import annotations

import pytest

from neodeskpet.figure.live2d.model_upkeep import (
    HOLD_DEFAULT_SECONDS,
    RESET_SECONDS,
    ParameterReset,
)
from tests.unit.figure.doubles import PaperModel

DRIVES = {
    ("Think", 0): frozenset({"ParamQuestion", "ParamAngle", "ParamOfAnotherModel"}),
    ("Nod", 0): frozenset({"ParamAngle"}),
}


def make() -> tuple[ParameterReset, PaperModel]:
    model = PaperModel()
    model.values |= {"ParamQuestion": 1.0, "ParamAngle": 0.5}
    return ParameterReset(model, DRIVES), model


def test_parameters_that_the_next_motion_does_not_move_are_reset() -> None:
    leftovers, model = make()
    leftovers.begin(("Think", 0), 0.0)
    leftovers.advance(0.1)
    assert model.saved == {}
    leftovers.begin(("Nod", 0), 1.0)
    leftovers.advance(1.0 + RESET_SECONDS / 2)
    assert model.saved == {"ParamQuestion": pytest.approx(0.5)}
    leftovers.advance(1.0 + RESET_SECONDS)
    assert model.saved == {"ParamQuestion": 0.0}
    model.saved.clear()
    leftovers.advance(1.0 + HOLD_DEFAULT_SECONDS)
    assert model.saved == {"ParamQuestion": 0.0}, "held while the old motion fades"
    model.saved.clear()
    leftovers.advance(1.1 + HOLD_DEFAULT_SECONDS)
    assert model.saved == {}, "it is unchanged then"


def test_a_motion_that_moves_it_again_controls_it() -> None:
    leftovers, model = make()
    leftovers.begin(("Think", 0), 0.0)
    leftovers.begin(("Nod", 0), 1.0)
    leftovers.begin(("Think", 0), 1.1)
    leftovers.advance(1.2)
    assert model.saved == {}


def test_after_the_end_everything_is_reset() -> None:
    leftovers, model = make()
    leftovers.begin(("Think", 0), 0.0)
    leftovers.end(1.0)
    leftovers.advance(9.0)
    assert model.saved == {"ParamQuestion": 0.0, "ParamAngle": 0.0}


def test_unknown_motions_move_nothing() -> None:
    leftovers, model = make()
    leftovers.begin(("Other", 3), 0.0)
    leftovers.end(1.0)
    leftovers.advance(2.0)
    assert model.saved == {}
