"""The body as tools: names of the model on stage, checked and acted on."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from neodeskpet.core.errors import InvalidArguments, UnknownTool
from neodeskpet.core.toolspec import Risk
from neodeskpet.tools.builtin.live2d import live2d_tools
from neodeskpet.tools.executor import Executor


class FakeBody:
    def __init__(self) -> None:
        self.faces = ["Smile", "Sad"]
        self.groups = {"Idle": 3, "TapBody": 1}
        self.acts: list[tuple[object, ...]] = []

    def expressions(self) -> Sequence[str]:
        return self.faces

    def motions(self) -> Mapping[str, int]:
        return self.groups

    def express(self, name: str) -> None:
        self.acts.append(("express", name))

    def play(self, group: str, index: int | None) -> None:
        self.acts.append(("play", group, index))


@pytest.fixture
def body() -> FakeBody:
    return FakeBody()


def run(body: FakeBody, tool: str, /, **arguments: object) -> str:
    toolbox = Executor(live2d_tools(body))
    return asyncio.run(toolbox.run(tool, arguments, lambda fraction, text: None))


def test_both_act_at_once_and_are_the_companions_own(body: FakeBody) -> None:
    for spec in Executor(live2d_tools(body)).specs():
        assert spec.eager
        assert spec.risk is Risk.OWN


def test_an_expression(body: FakeBody) -> None:
    assert run(body, "live2d.expression", name="smile") == "Your face now shows “Smile”."
    assert body.acts == [("express", "Smile")]


def test_a_motion(body: FakeBody) -> None:
    assert run(body, "live2d.motion", group="idle") == "You are playing “Idle”."
    told = run(body, "live2d.motion", group="Idle", index="2")
    assert told == "You are playing motion 2 of “Idle”."
    assert body.acts == [("play", "Idle", None), ("play", "Idle", 2)]


def test_unknown_names_are_answered_with_the_real_ones(body: FakeBody) -> None:
    with pytest.raises(InvalidArguments) as failure:
        run(body, "live2d.expression", name="smlie")
    assert failure.value.detail == (
        "name: there is no smlie. Did you mean Smile? Those that exist: Smile, Sad"
    )
    with pytest.raises(InvalidArguments, match=r"group: there is no Jump\. .*Idle, TapBody"):
        run(body, "live2d.motion", group="Jump")
    assert body.acts == []


def test_an_index_beyond_the_group(body: FakeBody) -> None:
    with pytest.raises(InvalidArguments, match="index: “Idle” has 0 to 2, got 3"):
        run(body, "live2d.motion", group="Idle", index=3)
    with pytest.raises(InvalidArguments, match="index: “TapBody” has only 0, got 1"):
        run(body, "live2d.motion", group="TapBody", index=1)
    with pytest.raises(InvalidArguments, match="index: must be greater than or equal to 0"):
        run(body, "live2d.motion", group="Idle", index=-1)


def test_another_model_has_other_names(body: FakeBody) -> None:
    expression, motion = live2d_tools(body)
    body.faces, body.groups = ["wink"], {"Dance": 1}
    assert expression.parameters["properties"]["name"]["enum"] == ["wink"]
    assert motion.parameters["properties"]["group"]["enum"] == ["Dance"]


def test_a_body_without_expressions_is_not_offered_any(body: FakeBody) -> None:
    body.faces = []
    assert [spec.name for spec in Executor(live2d_tools(body)).specs()] == ["live2d.motion"]
    with pytest.raises(UnknownTool):
        run(body, "live2d.expression", name="smile")
