"""A typed function, declared once: its schema, its description, its checks."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.toolspec import Mode, Risk
from neodeskpet.toolkit.registry import OneOf, Progress, Tool, tool


class Place(BaseModel):
    """Somewhere."""

    city: str
    floor: int | None = None


@tool(
    "trip.plan",
    risk=Risk.WRITE,
    main_argument="to",
    timeout=5,
    mode=Mode.ASYNC,
    scope={"by": ScopeKind.VALUE},
)
def plan(
    to: Annotated[Place, Field(description="Where to.")],
    days: Annotated[int, Field(ge=1, le=30, description="How long.")] = 3,
    by: Annotated[Literal["train", "foot"] | None, Field(description="How.")] = None,
    stops: Annotated[list[Place] | None, Field(description="On the way.")] = None,
) -> str:
    """Plan a trip
    in one sentence.

    What stands here is for programmers.
    """
    return f"{to.city} {days} {by} {stops}"


def test_the_spec_comes_from_the_declaration() -> None:
    spec = plan.spec
    assert spec.name == "trip.plan"
    assert spec.description == "Plan a trip in one sentence."
    assert (spec.risk, spec.mode, spec.eager) == (Risk.WRITE, Mode.ASYNC, False)
    assert (spec.main_argument, spec.timeout) == ("to", 5)
    assert spec.scope == {"by": ScopeKind.VALUE}


def test_the_schema_is_plain() -> None:
    place = {
        "description": "Somewhere.",
        "type": "object",
        "properties": {"city": {"type": "string"}, "floor": {"type": "integer"}},
        "required": ["city"],
        "additionalProperties": False,
    }
    assert plan.spec.parameters == {
        "type": "object",
        "properties": {
            "to": {**place, "description": "Where to."},
            "days": {
                "type": "integer",
                "minimum": 1,
                "maximum": 30,
                "default": 3,
                "description": "How long.",
            },
            "by": {"type": "string", "enum": ["train", "foot"], "description": "How."},
            "stops": {"type": "array", "items": place, "description": "On the way."},
        },
        "required": ["to"],
        "additionalProperties": False,
    }


def test_arguments_left_out_keep_the_functions_defaults() -> None:
    values = plan.read({"to": {"city": "Oslo"}, "by": None})
    assert plan.function(**values) == "Oslo 3 None None"


def test_a_tool_without_arguments() -> None:
    @tool("nothing", risk=Risk.READ)
    def nothing() -> None:
        """Do nothing."""

    assert nothing.spec.parameters == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    assert nothing.read({}) == {}


def test_progress_is_not_an_argument() -> None:
    @tool("work", risk=Risk.READ)
    def work(progress: Progress, steps: Annotated[int, Field(description="How many.")]) -> None:
        """Work."""

    assert work.progress == "progress"
    assert list(work.parameters["properties"]) == ["steps"]


def test_the_offered_names_may_change() -> None:
    names = ["smile", "sad {face}"]

    @tool("face", risk=Risk.APP_DATA)
    def face(
        name: Annotated[str, OneOf(lambda: names), Field(description="Which face.")],
    ) -> str:
        """Make a face."""
        return name

    def offered() -> object:
        return face.parameters["properties"]["name"]["enum"]

    assert offered() == ["smile", "sad {face}"]
    assert face.read({"name": " SMILE "}) == {"name": "smile"}
    with pytest.raises(InvalidArguments) as failure:
        face.read({"name": "smil{}"})
    assert str(failure.value) == (
        "The arguments are not valid. name: there is no smil{}. Did you mean smile? "
        "Those that exist: smile, sad {face}"
    )
    names[:] = ["wink"]
    assert offered() == ["wink"]
    with pytest.raises(InvalidArguments):
        face.read({"name": "smile"})
    names.clear()
    with pytest.raises(InvalidArguments, match="Those that exist: —"):
        face.read({"name": "smile"})


def test_a_schema_is_rebuilt_when_the_offered_names_change() -> None:
    there = ["a"]

    @tool("faces", risk=Risk.APP_DATA)
    def faces(
        names: Annotated[
            list[Annotated[str, OneOf(lambda: there)]] | None, Field(description="Faces.")
        ] = None,
    ) -> None:
        """Make faces."""

    before = faces.parameters
    assert before["properties"]["names"]["items"] == {"type": "string", "enum": ["a"]}
    assert faces.parameters is before
    there.append("b")
    assert faces.parameters["properties"]["names"]["items"]["enum"] == ["a", "b"]
    assert plan.parameters is plan.parameters


def _no_docstring(a: Annotated[int, Field(description="x")]) -> None: ...


def _no_description(a: int) -> None:
    """Do."""


def _no_type(a, b=1) -> None:  # type: ignore[no-untyped-def]
    """Do."""


def _any_number(*a: int) -> None:
    """Do."""


class Loop(BaseModel):
    inner: list["Loop"]


def _endless(a: Annotated[Loop, Field(description="x")]) -> None:
    """Do."""


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (_no_docstring, "docstring"),
        (_no_description, "description"),
        (_no_type, "type of its own"),
        (_any_number, "type of its own"),
        (_endless, "contain themselves"),
    ],
)
def test_an_invalid_declaration_is_refused(function, reason) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TypeError, match=reason):
        tool("poor", risk=Risk.READ)(function)


def test_the_main_argument_must_exist() -> None:
    with pytest.raises(TypeError, match="has no argument day"):
        tool("poor", risk=Risk.READ, main_argument="day")(plan.function)
    with pytest.raises(TypeError, match="has not all arguments of its scope"):
        tool("poor", risk=Risk.WRITE, scope={"day": ScopeKind.VALUE})(plan.function)


def test_a_tool_that_may_run_in_the_background_has_an_argument_for_it() -> None:
    with pytest.raises(TypeError, match="needs `background"):
        tool("poor", risk=Risk.READ, mode=Mode.EITHER)(plan.function)


def build(bonus: int, most: object = 6) -> Tool:
    """A tool, as a builder in a file with `from __future__ import annotations` declares it."""

    def roll(sides: int = 6) -> int:
        """Roll a die."""
        return sides + bonus

    if most != 6:
        roll.__defaults__ = (most,)
    roll.__annotations__ = {"sides": "Annotated[int, Field(description='How many.')]"}
    return tool("dice.roll", risk=Risk.READ)(roll)


def test_a_tool_that_is_built_again_is_inspected_once() -> None:
    one, other = build(bonus=1), build(bonus=2)
    assert one.arguments is other.arguments
    assert one.parameters is other.parameters
    assert one.prepare({"sides": 4}, lambda done, text: None)() == 5
    assert other.prepare({"sides": 4}, lambda done, text: None)() == 6


def test_another_default_is_another_schema() -> None:
    build(bonus=1)
    assert build(1, 8).parameters["properties"]["sides"]["default"] == 8
    assert build(1, True).parameters["properties"]["sides"]["default"] is True
    assert build(1, 1).parameters["properties"]["sides"]["default"] is not True


def test_declarations_that_can_not_be_compared_are_inspected_each_time() -> None:
    assert build(1, {6}).arguments is not build(1, {6}).arguments


def test_annotations_of_a_builders_arguments_are_inspected_each_time() -> None:
    def about(names: list[str]) -> Tool:
        @tool("fruit.eat", risk=Risk.READ)
        def eat(name: Annotated[Literal["a"], Field(description=" ".join(names))]) -> str:
            """Eat."""
            return name

        return eat

    for names in ("apple", "pear"):
        schema = about([names]).parameters
        assert schema["properties"]["name"]["description"] == names
