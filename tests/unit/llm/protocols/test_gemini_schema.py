from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.llm.protocols.gemini_schema import fit_parameters


def one(schema: dict[str, Any]) -> Any:
    """Return the converted schema of one parameter."""
    fitted = fit_parameters({"type": "object", "properties": {"a": schema}})
    assert fitted is not None
    return fitted["properties"]["a"]


def test_a_tool_without_arguments_sends_no_parameters() -> None:
    for empty in ({}, {"type": "object"}, {"type": "object", "properties": {}}):
        assert fit_parameters(empty) is None


def test_keywords_that_gemini_accepts_stay() -> None:
    schema = {
        "type": "object",
        "properties": {
            "when": {"type": "string", "description": "d", "format": "date-time"},
            "mood": {"type": "string", "enum": ["happy", "sad"]},
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        },
        "required": ["when"],
    }
    assert fit_parameters(schema) == schema


def test_keywords_that_gemini_refuses_are_removed() -> None:
    schema = {
        "$schema": "x",
        "type": "object",
        "additionalProperties": False,
        "properties": {"a": {"type": "number", "exclusiveMinimum": 0, "format": "money"}},
        "required": ["a", "gone"],
    }
    assert fit_parameters(schema) == {
        "type": "object",
        "properties": {"a": {"type": "number"}},
        "required": ["a"],
    }


@pytest.mark.parametrize(
    ("schema", "fitted"),
    [
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"type": "integer", "nullable": True}),
        (
            {"oneOf": [{"type": "integer"}, {"type": "string"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        ),
        ({"const": "x"}, {"type": "string", "enum": ["x"]}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer"}),
        (
            {"allOf": [{"type": "string"}, {"description": "d"}]},
            {"type": "string", "description": "d"},
        ),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        ({}, {"type": "string"}),
        (
            {"type": "object", "description": "Params."},
            {"type": "string", "description": "Params. A JSON object, as text."},
        ),
        (
            {"properties": {"b": {"type": "string"}}},
            {"type": "object", "properties": {"b": {"type": "string"}}},
        ),
    ],
)  # fmt: skip
def test_schemas_are_converted(schema: dict[str, Any], fitted: dict[str, Any]) -> None:
    assert one(schema) == fitted


def test_references_are_inlined() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Mood"}, "b": {"$ref": "#/$defs/Gone"}},
        "$defs": {"Mood": {"type": "string", "enum": ["x"]}},
    }
    fitted = fit_parameters(schema)
    assert fitted is not None
    assert fitted["properties"] == {
        "a": {"type": "string", "enum": ["x"]},
        "b": {"type": "string"},
    }


def test_a_recursive_schema_is_cut() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    schema = {**node, "$defs": {"Node": node}}
    assert fit_parameters(schema) is not None


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["object", "array", "string"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["type", "properties", "items", "anyOf", "oneOf", "allOf", "enum", "required", "$ref",
             "format", "const", "$defs"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=15,
)  # fmt: skip


def _check(schema: Any) -> None:
    assert set(schema) & {"additionalProperties", "$ref", "oneOf", "allOf", "const"} == set()
    if schema.get("type") == "object":
        assert schema["properties"]
        for inner in schema["properties"].values():
            _check(inner)
    if schema.get("type") == "array":
        _check(schema["items"])


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from("abc"), ANY.filter(lambda x: isinstance(x, dict)), max_size=3)
)
def test_every_object_has_properties(properties: dict[str, Any]) -> None:
    fitted = fit_parameters({"type": "object", "properties": properties})
    if fitted is not None:
        _check(fitted)
