from __future__ import annotations

from neodeskpet.llm.protocols.tool_schema import object_schema


def test_an_object_without_alternatives_at_the_top() -> None:
    assert object_schema({}) == {"type": "object", "properties": {}}
    given = {"anyOf": [], "not": {}, "$schema": "x", "required": ["a"], "properties": {"a": {}}}
    assert object_schema(given) == {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {}},
    }


def test_a_list_has_a_type_for_its_items() -> None:
    inner = {"type": "object", "properties": {"tags": {"type": "array"}}}
    given = {"properties": {"a": {"type": "array", "items": inner}, "b": {"anyOf": [{}]}}}
    assert object_schema(given)["properties"] == {
        "a": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"tags": {"type": "array", "items": {}}},
            },
        },
        "b": {"anyOf": [{}]},
    }


def test_a_recursive_schema_and_an_invalid_one() -> None:
    endless: dict[str, object] = {"type": "array"}
    endless["items"] = endless
    properties = object_schema({"properties": {"a": endless, "b": True}})["properties"]
    assert isinstance(properties, dict)
    assert properties["b"] is True
    assert object_schema({"properties": None})["properties"] == {}
