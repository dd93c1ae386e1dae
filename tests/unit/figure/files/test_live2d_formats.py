from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from neodeskpet.figure.files.live2d_formats import (
    Curve3,
    Expression2,
    Motion3,
    Physics3,
    clean_mtn,
    moved_by,
    plain_tree,
)
from tests.unit.figure.models import motion

_SETTING = {
    "Id": "Hair",
    "Input": [{"Source": {"Id": "ParamAngleX"}, "Weight": 60, "Type": "X"}],
    "Output": [
        {
            "Destination": {"Id": "ParamHair"},
            "VertexIndex": 1,
            "Scale": 1,
            "Weight": 100,
            "Type": "Angle",
        }
    ],
    "Vertices": [
        {"Position": {"X": 0, "Y": y}, "Mobility": 1, "Delay": 1, "Acceleration": 1, "Radius": y}
        for y in (0, 10)
    ],
    "Normalization": {
        name: {"Minimum": -10, "Default": 0, "Maximum": 10} for name in ("Position", "Angle")
    },
}
_FORCES = {"Gravity": {"X": 0, "Y": -1}, "Wind": {"X": 0, "Y": 0}}


def test_counts_of_a_motion_are_computed() -> None:
    meta = plain_tree(Motion3.model_validate(motion()))["Meta"]
    assert (meta["CurveCount"], meta["TotalSegmentCount"], meta["TotalPointCount"]) == (2, 2, 6)
    assert meta["UserDataCount"] == 0


@pytest.mark.parametrize(
    "segments", [[0, 0], [0, 0, 0, 1], [0, 0, 9, 1, 1], [0, 0, 0.5, 1, 1], [0, 0, 1, 1, 1, 1]]
)
def test_broken_segments_are_refused(segments: list[float]) -> None:
    with pytest.raises(ValidationError):
        Curve3(Target="Parameter", Id="P", Segments=segments)


@given(
    st.lists(
        st.sampled_from([0, 1, 2, 3]).flatmap(
            lambda kind: st.lists(
                st.floats(-9, 9), min_size=6 if kind == 1 else 2, max_size=6 if kind == 1 else 2
            ).map(lambda numbers, kind=kind: [float(kind), *numbers])
        ),
        min_size=1,
        max_size=30,
    )
)
def test_segments_and_points_add_up(segments: list[list[float]]) -> None:
    numbers = [0.0, 0.0] + [number for segment in segments for number in segment]
    curve = Curve3(Target="Model", Id="P", Segments=numbers)
    points = 1 + sum(3 if segment[0] == 1 else 1 for segment in segments)
    assert curve.counts == (len(segments), points)


def test_counts_of_physics_are_computed() -> None:
    tree = plain_tree(
        Physics3.model_validate(
            {
                "Meta": {"VertexCount": 99, "EffectiveForces": _FORCES, "TotalInputCount": -4},
                "PhysicsSettings": [_SETTING, {**_SETTING, "Id": "Ear"}],
            }
        )
    )
    meta = tree["Meta"]
    assert meta["PhysicsSettingCount"] == 2
    assert (meta["TotalInputCount"], meta["TotalOutputCount"], meta["VertexCount"]) == (2, 2, 4)
    assert [entry["Id"] for entry in meta["PhysicsDictionary"]] == ["Hair", "Ear"]


def test_an_output_of_physics_has_its_vertex() -> None:
    spoilt = {**_SETTING, "Output": [{**_SETTING["Output"][0], "VertexIndex": 2}]}  # type: ignore[dict-item,index]
    with pytest.raises(ValidationError, match="vertex"):
        Physics3.model_validate({"Meta": {"EffectiveForces": _FORCES}, "PhysicsSettings": [spoilt]})


def test_the_old_default_keeps_its_name() -> None:
    tree = plain_tree(Expression2.model_validate({"params": [{"id": "P", "val": 1, "def": 2}]}))
    assert tree["params"] == [{"id": "P", "val": 1.0, "def": 2.0}]


def test_an_old_motion_is_cleaned() -> None:
    text = "# x\r\n$fps=30\r\n$fadein:PARAM_A=500\r\nPARAM_A=0,1,-.5\r\nVISIBLE:ARM=1,\r\n\r\n"
    assert clean_mtn(text).splitlines()[1:] == [
        "$fps=30",
        "$fadein:PARAM_A=500",
        "PARAM_A=0,1,-.5",
        "VISIBLE:ARM=1,",
    ]


def test_the_parameters_of_a_motion() -> None:
    assert Motion3.model_validate(motion()).moves == {"ParamAngleX", "ParamAngleY"}
    assert moved_by("# x\n$fps=30\n$fadein:P=3\nP=1\nVISIBLE:ARM=1\n") == {"P"}


@pytest.mark.parametrize(
    "text", ["", "$fps=30", "P=1,x", "P", "=1", "P=", "P=nan", "P=1e999", "<html>"]
)
def test_an_invalid_old_motion_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="curve"):
        clean_mtn(text)
