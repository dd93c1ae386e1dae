"""The frame rate during movement, at rest and while hidden."""

from __future__ import annotations

import math

import pytest

from neodeskpet.figure.frame_rate import MotionSpeed, visible_parameters


def pace(*values: float) -> float:
    """The frame rate after a second with these values of a parameter that goes from -10 to 10."""
    tempo = MotionSpeed({"ParamBodyAngleZ": 20.0, "ParamAngleX": 60.0})
    for value in values:
        tempo.update({"ParamBodyAngleZ": value, "ParamAngleX": 1.0}.__getitem__, 1.0)
    return tempo.pace


def test_a_large_movement_needs_many_frames_and_a_constant_value_none() -> None:
    assert pace(0.0, 16.0) == pytest.approx(10.0)
    assert pace(0.0, 8.0) == pytest.approx(5.0)
    assert pace(0.0, 12.0, 12.0) == 0.0, "the last frame counts"


def test_the_first_frame_and_a_model_without_such_parameters_give_no_rate() -> None:
    assert pace(0.0) == math.inf
    bare = MotionSpeed({})
    for _ in range(2):
        bare.update({}.__getitem__, 1.0)
    assert bare.pace == math.inf


def test_parameters_are_known_in_both_spellings() -> None:
    assert visible_parameters(["PARAM_ANGLE_X", "PARAM_BREATH"]) == ["PARAM_ANGLE_X"]
    assert visible_parameters(["ParamAngleX", "ParamTearFlow"]) == ["ParamAngleX"]
