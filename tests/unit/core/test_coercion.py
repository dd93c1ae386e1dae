"""Coercion of arguments to the schemas of servers, which may contain anything."""

import pytest

from neodeskpet.core.call_arguments import coerce_value


@pytest.mark.parametrize(
    ("given", "schema", "meant"),
    [
        ("3", {"type": "integer"}, 3),
        ("3", {"type": ["integer", "null"]}, 3),
        ("3", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, 3),
        ("3", {"type": ["string", "integer"]}, "3"),
        ("3", {"oneOf": [{"type": "integer"}]}, 3),
        ({"a": "3"}, {"allOf": [{"properties": {"a": {"type": "integer"}}}]}, {"a": 3}),
        ("yes", {"type": "boolean"}, True),
        ("1.5", {"type": "number"}, 1.5),
        ("[1]", {"type": "array"}, [1]),
        ("{}", {"type": "object"}, {}),
        ("3", {}, "3"),
        ("3", {"type": 5}, "3"),
        ("3", {"anyOf": "integer"}, "3"),
        ("3", {"anyOf": [True, 5]}, "3"),
        ({"a": "3"}, {"properties": {"a": {"type": "integer"}}}, {"a": 3}),
        ({"a": "3"}, {"properties": ["a"]}, {"a": "3"}),
        ({"a": "3"}, {"properties": {"a": True}}, {"a": "3"}),
        (["3"], {"items": {"type": "integer"}}, [3]),
        (["3"], {"items": True}, ["3"]),
        ("a, b", {"type": "array", "items": {"type": "string"}}, ["a", "b"]),
        ("a, b", {"type": "array", "items": True}, "a, b"),
    ],
)
def test_unambiguous_values_are_coerced(
    given: object, schema: dict[str, object], meant: object
) -> None:
    assert coerce_value(given, schema) == meant
