"""Requests of MCP servers for input, as a form."""

from neodeskpet.mcp.result_mapping import defaults, form_schema

SCHEMA = {
    "type": "object",
    "properties": {
        "size": {
            "type": "string",
            "title": "Size",
            "oneOf": [{"const": "s", "title": "Small"}, {"const": "l"}],
            "default": "s",
        },
        "loud": {"type": "boolean", "description": "Whether it shouts.", "default": None},
        "many": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "odd": "nonsense",
    },
    "required": ["size"],
}


def test_choices_with_titles_are_plain_choices() -> None:
    made = form_schema(SCHEMA)
    assert made["required"] == ["size"]
    properties = made["properties"]
    assert isinstance(properties, dict)
    assert properties["size"] == {
        "type": "string",
        "title": "Size",
        "enum": ["s", "l"],
        "default": "s",
        "description": "Size; s: Small",
    }
    assert properties["loud"]["description"] == "Whether it shouts."
    assert "enum" not in properties["many"]
    assert properties["odd"] == {"description": ""}


def test_the_form_starts_with_the_defaults() -> None:
    assert defaults(SCHEMA) == {"size": "s"}
    assert defaults({}) == {}
    assert form_schema({"properties": 3}) == {"type": "object", "properties": {}}
