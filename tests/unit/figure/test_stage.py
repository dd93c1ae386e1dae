from __future__ import annotations

from pathlib import Path

import pytest

from neodeskpet.core.errors import InvalidArguments, ModelFileError
from neodeskpet.figure.files.model_reader import ModelDescription, describe_model
from neodeskpet.figure.poses import Pose
from neodeskpet.figure.stage import NullStage, Stage
from tests.unit.figure.doubles import description
from tests.unit.figure.models import NEO, make_model


def test_the_fake_implements_the_stage() -> None:
    stage: Stage = NullStage()
    assert stage.expressions() == []
    assert stage.motions() == {}


def test_it_records_the_commands() -> None:
    stage = NullStage(description())
    stage.express("smile")
    stage.play("Nod")
    stage.play("Wave", 1)
    stage.look_at(3.0, 4.0)
    stage.speak(0.5)
    stage.pose(Pose.HAPPY)
    assert stage.commands == [
        ("express", "smile"),
        ("play", "Nod", None),
        ("play", "Wave", 1),
        ("look_at", 3.0, 4.0),
        ("speak", 0.5),
        ("pose", Pose.HAPPY),
    ]
    assert "smile" in stage.expressions()
    assert stage.motions()["Wave"] == 2


def test_it_loads_and_reports(tmp_path: Path) -> None:
    stage = NullStage()
    ready: list[ModelDescription] = []
    failed: list[ModelFileError] = []
    stage.ready.connect(ready.append)
    stage.failed.connect(failed.append)
    stage.load(NEO)
    names = stage.expressions()
    assert names == list(ready[0].expressions)
    stage.load(tmp_path)
    assert len(failed) == 1
    assert stage.expressions() == names, "the earlier model stays"
    stage.load(make_model(tmp_path / "toy"))
    assert stage.expressions() == ["smile", "sad"]


def test_it_animates_the_parameters_of_its_model() -> None:
    stage = NullStage(describe_model(NEO))
    assert stage.parameters()["ParamAngleX"] == (-30.0, 30.0, 0.0)
    assert "Head" in stage.notes("parameter")["ParamAngleX"]
    assert stage.notes("motion")["Nod"] == "yes"
    assert "ParamTailTip" not in stage.parameters(), "physics moves it"
    assert "ParamA" not in stage.parameters(), "the lips move it"
    script = [{"do": "tween", "parameter": "ParamAngleX", "to": 9, "seconds": 2}]
    assert stage.animate(script) == 2.0
    assert stage.commands == [("animate", script)]
    with pytest.raises(InvalidArguments, match="there is no Nose"):
        stage.animate([{"do": "reset", "parameter": "Nose"}])
    empty = NullStage()
    assert (empty.parameters(), empty.notes("expression")) == ({}, {})
