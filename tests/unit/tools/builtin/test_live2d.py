"""The figure as tools: names of the current figure, validated and performed."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.core.dialects.dialect import parameter_signature
from neodeskpet.core.errors import InvalidArguments, UnknownTool
from neodeskpet.core.toolspec import Risk
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.stage import NullStage
from neodeskpet.platform.installation import assets_dir
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.live2d import live2d_tools
from tests.unit.figure.models import make_model


class FakeBody:
    def __init__(self) -> None:
        self.faces = ["Smile", "Sad"]
        self.can_be_grouped = {"Idle": 3, "TapBody": 1}
        self.ranges = {"Head": (-30.0, 30.0, 0.0), "Blush": (0.0, 1.0, 0.0)}
        self.render: dict[str, dict[str, str]] = {}
        self.parts: list[str] = []
        self.acts: list[tuple[object, ...]] = []

    def expressions(self) -> Sequence[str]:
        return self.faces

    def motions(self) -> Mapping[str, int]:
        return self.can_be_grouped

    def parameters(self) -> Mapping[str, tuple[float, float, float]]:
        return self.ranges

    def notes(self, kind: str) -> Mapping[str, str]:
        return self.render.get(kind, {})

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        self.acts.append(("animate", *script))
        return 1.25

    def wearables(self) -> Sequence[str]:
        return self.parts

    def wear(self, part: str) -> None:
        self.acts.append(("wear", part))

    def express(self, name: str) -> None:
        self.acts.append(("express", name))

    def play(self, group: str, index: int | None) -> None:
        self.acts.append(("play", group, index))


@pytest.fixture
def body() -> FakeBody:
    return FakeBody()


def run(body: FakeBody | NullStage, tool: str, /, **arguments: object) -> str:
    toolbox = Toolbox(AppTools(live2d_tools(body)))
    return asyncio.run(toolbox.offer().run(tool, arguments, lambda fraction, text: None)).text


def test_they_act_at_once_and_never_ask(body: FakeBody) -> None:
    for spec in Toolbox(AppTools(live2d_tools(body))).specs():
        assert spec.eager
        assert spec.risk is Risk.GESTURE


def test_an_expression(body: FakeBody) -> None:
    assert run(body, "live2d.expression", name="smile") == "Your face now shows “Smile”."
    assert body.acts == [("express", "Smile")]


def test_a_motion(body: FakeBody) -> None:
    assert run(body, "live2d.motion", group="idle") == "You are playing “Idle”."
    told = run(body, "live2d.motion", group="Idle", index="2")
    assert told == "You are playing motion 2 of “Idle”."
    assert body.acts == [("play", "Idle", None), ("play", "Idle", 2)]


def test_unknown_names_are_answered_with_the_existing_ones(body: FakeBody) -> None:
    with pytest.raises(InvalidArguments) as failure:
        run(body, "live2d.expression", name="smlie")
    assert str(failure.value) == (
        "The arguments are not valid. name: there is no smlie. "
        "Did you mean Smile? Those that exist: Smile, Sad"
    )
    with pytest.raises(InvalidArguments, match=r"group: there is no Jump\. .*Idle, TapBody"):
        run(body, "live2d.motion", group="Jump")
    assert body.acts == []


def test_an_index_outside_of_the_group(body: FakeBody) -> None:
    with pytest.raises(InvalidArguments, match="index: “Idle” has motions from 0 to 2, got 3"):
        run(body, "live2d.motion", group="Idle", index=3)
    with pytest.raises(InvalidArguments, match="index: “TapBody” has motions from 0 to 0, got 1"):
        run(body, "live2d.motion", group="TapBody", index=1)
    with pytest.raises(InvalidArguments, match="index: must be greater than or equal to 0"):
        run(body, "live2d.motion", group="Idle", index=-1)


def test_another_figure_has_other_names(body: FakeBody) -> None:
    expression, motion, parameters, _ = live2d_tools(body)
    body.faces, body.can_be_grouped = ["wink"], {"Dance": 1}
    body.ranges = {"Ear": (0.0, 2.0, 0.5)}
    body.render = {
        "expression": {"wink": "one eye shut", "gone": "x"},
        "motion": {"Dance": "to music"},
        "parameter": {"Ear": "Droop / 下垂"},
    }
    assert expression.parameters["properties"]["name"]["description"].endswith("wink: one eye shut")
    assert motion.parameters["properties"]["group"]["description"].endswith("Dance: to music")
    step = parameters.parameters["properties"]["script"]["items"]["properties"]
    assert "enum" not in step["parameter"]
    assert step["parameter"]["description"].endswith("0…2: Ear (0.5) Droop")
    assert expression.parameters["properties"]["name"]["enum"] == ["wink"]
    assert motion.parameters["properties"]["group"]["enum"] == ["Dance"]


def test_the_tools_follow_the_current_figure(tmp_path: Path) -> None:
    stage = NullStage(describe_model(assets_dir() / "companion" / "neo"))
    toolbox = Toolbox(AppTools(live2d_tools(stage)))

    def offered(tool: str, field: str) -> dict[str, Any]:
        specs = {spec.name: json.loads(json.dumps(spec.parameters)) for spec in toolbox.specs()}
        return dict(specs[tool]["properties"][field])

    assert offered("live2d.expression", "name")["enum"] == stage.expressions()
    assert "thinking: unsure" in offered("live2d.expression", "name")["description"]
    assert "Nod: yes" in offered("live2d.motion", "group")["description"]
    stage.load(make_model(tmp_path))
    assert offered("live2d.expression", "name")["enum"] == ["smile", "sad"]
    assert "paw" not in offered("live2d.expression", "name")["description"]
    assert offered("live2d.motion", "group")["enum"] == list(stage.motions())


def test_the_abilities_of_the_bundled_figure_are_listed_briefly() -> None:
    """Models in text mode read the list with every message."""
    stage = NullStage(describe_model(assets_dir() / "companion" / "neo"))
    told = [
        parameter_signature(spec.parameters)
        for spec in Toolbox(AppTools(live2d_tools(stage))).specs()
    ]
    assert sum(len(line) for line in told) < 4600


def test_a_figure_without_expressions_offers_none(body: FakeBody) -> None:
    body.faces = []
    body.ranges = {}
    assert [spec.name for spec in Toolbox(AppTools(live2d_tools(body))).specs()] == [
        "live2d.motion"
    ]
    with pytest.raises(UnknownTool):
        run(body, "live2d.expression", name="smile")


def test_it_wears_what_the_figure_has(body: FakeBody) -> None:
    with pytest.raises(UnknownTool):
        run(body, "live2d.wear", part="glasses")
    body.parts = ["glasses", "santa hat"]
    assert run(body, "live2d.wear", part="Santa Hat") == "You are wearing: santa hat."
    assert run(body, "live2d.wear", part="nothing") == "You are wearing: nothing."
    assert body.acts == [("wear", "santa hat"), ("wear", "")]


def test_the_bundled_figure_has_worn_parts_apart_from_its_parameters() -> None:
    stage = NullStage(describe_model(assets_dir() / "companion" / "neo"))
    assert len(stage.wearables()) == 12
    assert {"glasses", "ribbon", "santa hat", "umbrella"} <= set(stage.wearables())
    assert not [name for name in stage.parameters() if "Wear" in name or "Key" in name]
    run(stage, "live2d.wear", part="ribbon")
    assert stage.commands == [("wear", "ribbon")]


def test_a_script_of_parameters(body: FakeBody) -> None:
    steps = [
        {"do": "tween", "parameter": "head", "to": 10},
        {"do": "sequence", "steps": [{"do": "wait", "seconds": 1}, {"do": "reset"}]},
    ]
    assert run(body, "live2d.parameters", script=steps) == "You are moving for 1.2 s."
    tween, sequence = body.acts[0][1:]
    assert tween == {"do": "tween", "parameter": "Head", "to": 10.0}
    assert sequence == steps[1]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"do": "wait"}, r"script\[0\]\.do: must be one of 'set'"),
        ({"do": "set", "parameter": "Nose", "to": 1}, r"parameter: there is no Nose"),
        ({"do": "set", "parameter": "Head", "to": "far"}, r"to: "),
        ({"do": "tween", "parameter": "Head", "to": 1, "seconds": 11}, r"seconds: "),
        ({"do": "sequence", "steps": [{"do": "sequence", "steps": []}]}, r"steps\[0\]"),
        ({}, r"do: is required"),
    ],
)
def test_an_invalid_script_is_answered(body: FakeBody, step: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidArguments, match=said):
        run(body, "live2d.parameters", script=[step])
    assert body.acts == []


def test_a_script_of_thousands_of_steps_is_refused_as_a_whole(body: FakeBody) -> None:
    wrong = {"do": "no such thing"}
    script = [{"do": "sequence", "steps": [wrong] * 60}] * 60
    with pytest.raises(InvalidArguments, match="3660 steps are too many") as caught:
        run(body, "live2d.parameters", script=script)
    assert "must be" not in str(caught.value)
    assert body.acts == []


def test_of_many_parameters_not_all_ranges_are_listed(body: FakeBody) -> None:
    body.ranges = {f"P{number}": (0.0, 1.0, 0.0) for number in range(500)}
    schema = live2d_tools(body)[2].parameters["properties"]["script"]["items"]["properties"]
    assert "P119" in schema["parameter"]["description"]
    assert "P120" not in schema["parameter"]["description"]
