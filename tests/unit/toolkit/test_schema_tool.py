"""Foreign schemas: validated, simplified for the model, and never loaded from other addresses."""

import asyncio
from collections.abc import Mapping
from itertools import pairwise

import pytest

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.toolkit.registry import Progress
from neodeskpet.toolkit.schema_tool import SchemaTool, schema_tool
from neodeskpet.toolkit.toolbox import AppTools, Toolbox

STRING = {"type": "string"}


def made(schema: Mapping[str, object]) -> SchemaTool:
    return schema_tool(ToolSpec("t", "Do it.", schema), lambda given, progress: given)


def read(tool: SchemaTool, **arguments: object) -> object:
    return tool.prepare(arguments, lambda fraction, text: None)()


def test_arguments_are_coerced_and_validated_by_the_original_schema() -> None:
    tool = made(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {
                "count": {"type": "integer", "minimum": 1},
                "deep": {"$ref": "#/definitions/Deep"},
                "any": True,
            },
            "required": ["count"],
            "definitions": {"Deep": {"type": "array", "items": {"type": "number"}}},
        }
    )
    assert read(tool, count="3", deep="[1, 2.5]", more="kept") == {
        "count": 3,
        "deep": [1, 2.5],
        "more": "kept",
    }
    with pytest.raises(InvalidArguments) as failure:
        read(tool, count=0, deep=[1, "x"])
    assert str(failure.value).endswith(
        'count: must be greater than or equal to 1, got 0; deep[1]: must be a number, got "x"'
    )
    assert tool.spec.parameters == {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1},
            "deep": {"type": "array", "items": {"type": "number"}},
            "any": {},
        },
        "required": ["count"],
    }


def test_a_recursive_schema_is_described_in_words() -> None:
    tool = made({"properties": {"child": {"$ref": "#/$defs/Tree"}}, "$defs": TREE})
    assert tool.spec.parameters == {"type": "object", "properties": {}}
    assert '"$ref": "#/$defs/Tree"' in tool.spec.description
    assert read(tool, child={"child": {"child": {}}}) == {"child": {"child": {"child": {}}}}
    with pytest.raises(InvalidArguments, match=r"child\.child: must be an object, got 5"):
        read(tool, child={"child": 5})


TREE = {"Tree": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Tree"}}}}


def test_a_reference_to_another_address_is_never_loaded() -> None:
    tool = made({"properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}})
    with pytest.raises(InvalidArguments, match=r"schema can't be used"):
        read(tool, a=1)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "nonsense"},
        {"properties": []},
        {"properties": {"a": {"minimum": "one"}}},
    ],
)
def test_other_schemas_are_refused(schema: Mapping[str, object]) -> None:
    with pytest.raises(ValueError, match=r"^t: "):
        made(schema)


def test_a_schema_nested_too_deeply_is_refused() -> None:
    schema: dict[str, object] = STRING
    for _ in range(100):
        schema = {"type": "object", "properties": {"a": schema}}
    with pytest.raises(ValueError, match=r"nested too deeply"):
        made(schema)


def test_the_number_and_length_of_reported_errors_is_limited() -> None:
    tool = made({"additionalProperties": STRING})
    with pytest.raises(InvalidArguments) as failure:
        read(tool, **{f"a{number}": [number] * 500 for number in range(30)})
    assert str(failure.value).count("; ") == 7
    assert len(str(failure.value)) < 3000


def test_the_function_may_be_a_coroutine_and_report_progress() -> None:
    told: list[tuple[float | None, str]] = []

    async def work(given: dict[str, object], progress: Progress) -> object:
        progress(0.5, "half")
        return {"got": given}

    toolbox = Toolbox(AppTools([schema_tool(ToolSpec("t", "Do it.", {}), work)]))
    said = asyncio.run(toolbox.offer().run("t", {"a": 1}, lambda *step: told.append(step))).text
    assert (said, told) == ('{"got":{"a":1}}', [(0.5, "half")])


def test_a_regular_expression_of_a_server_can_not_block_the_app() -> None:
    tool = made({"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}})
    assert read(tool, a="aaa") == {"a": "aaa"}
    with pytest.raises(InvalidArguments, match="a: "):
        read(tool, a="a" * 5_000 + "!")


def test_nor_can_names_of_properties() -> None:
    patterns = {"^(a+)+$": {"type": "integer"}, "^x-(?=y)": {"type": "integer"}}
    tool = made({"patternProperties": patterns, "additionalProperties": False})
    assert read(tool, aa=1) == {"aa": 1}
    assert read(tool, **{"x-y": "unchecked"}) == {"x-y": "unchecked"}
    with pytest.raises(InvalidArguments, match="aa: "):
        read(tool, aa="x")
    only = made({"patternProperties": {"^(a+)+$": True}, "additionalProperties": False})
    with pytest.raises(InvalidArguments, match="additional properties"):
        read(only, **{"a" * 5_000 + "!": 1})
    typed = made({"patternProperties": {"^a": True}, "additionalProperties": {"type": "integer"}})
    assert read(typed, a="x", b=1) == {"a": "x", "b": 1}
    with pytest.raises(InvalidArguments, match="b: "):
        read(typed, b=[])


def test_an_expression_that_can_not_be_run_here_is_left_to_the_server() -> None:
    tool = made({"properties": {"a": {"type": "string", "pattern": "^(?!b)"}}})
    assert read(tool, a="b") == {"a": "b"}


def test_references_that_multiply_are_not_inlined() -> None:
    names = [f"d{number}" for number in range(40)]
    definitions: dict[str, object] = {
        name: {"anyOf": [{"$ref": f"#/$defs/{after}"}, {"$ref": f"#/$defs/{after}"}]}
        for name, after in pairwise(names)
    }
    definitions[names[-1]] = {"type": "integer"}
    tool = made({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
    with pytest.raises(InvalidArguments, match="takes too long"):
        read(tool, a="x")


def test_many_values_may_be_checked() -> None:
    items = {"type": "object", "properties": {"b": {"type": "integer", "minimum": 0}}}
    tool = made({"properties": {"a": {"type": "array", "items": items}}})
    rows = [{"b": number} for number in range(5_000)]
    assert read(tool, a=rows) == {"a": rows}
