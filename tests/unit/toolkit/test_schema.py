"""Simplified JSON Schemas."""

from neodeskpet.toolkit.argument_validation import plain_schema


def test_a_property_may_be_called_title() -> None:
    schema = {
        "title": "Page",
        "type": "object",
        "properties": {"title": {"title": "Title", "type": "string"}},
    }
    assert plain_schema(schema) == {
        "type": "object",
        "properties": {"title": {"type": "string"}},
        "additionalProperties": False,
    }


def test_references_are_inlined_and_the_keywords_beside_them_win() -> None:
    schema = {
        "$defs": {"A": {"type": "object", "description": "inner", "properties": {}}},
        "type": "object",
        "properties": {"a": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "title": "A"}},
        "additionalProperties": {"$ref": "#/$defs/A", "description": "outer"},
    }
    closed = {"type": "object", "properties": {}, "additionalProperties": False}
    assert plain_schema(schema) == {
        "type": "object",
        "properties": {"a": {"description": "inner", **closed}},
        "additionalProperties": {"description": "outer", **closed},
    }


def test_a_union_keeps_its_real_branches() -> None:
    schema = {
        "anyOf": [{"type": "integer"}, {"type": "string", "title": "S"}, {"type": "null"}],
        "default": None,
    }
    assert plain_schema(schema) == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
