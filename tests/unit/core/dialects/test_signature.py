"""A JSON Schema in one short line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.dialects.dialect import parameter_signature

Schema = dict[str, object]


def of(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        ({"type": "object", "properties": {}}, "{}"),
        (of(text={"type": "string", "description": "Words."}), "{text?: string (Words.)}"),
        (
            {**of(id={"type": "integer"}, all={"type": "boolean"}), "required": ["id"]},
            "{id: integer, all?: boolean}",
        ),
        (of(mood={"enum": ["shy", "害羞"], "type": "string"}), '{mood?: "shy"|"害羞"}'),
        (of(n={"type": "number", "minimum": 0, "maximum": 1.5}), "{n?: number 0…1.5}"),
        (of(n={"type": "integer", "minimum": 0}), "{n?: integer ≥ 0}"),
        (of(n={"type": "integer", "maximum": 9}), "{n?: integer ≤ 9}"),
        (of(n={"type": "number", "exclusiveMinimum": 0}), "{n?: number > 0}"),
        (of(tags={"type": "array", "items": {"type": "string"}}), "{tags?: [string, …]}"),
        (of(tags={"type": "array"}), "{tags?: […]}"),
        (
            of(steps={"type": "array", "items": of(to={"type": "number"})}),
            "{steps?: [{to?: number}, …]}",
        ),
        (of(any={}), "{any?: anything}"),
        (of(any={"enum": []}), '{any?: {"enum": []}}'),
    ],
)
def test_signatures(schema: Schema, line: str) -> None:
    assert parameter_signature(schema) == line


@pytest.mark.parametrize(
    "part",
    [
        {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "A or none."},
        {"type": "string", "pattern": "^[a-z]+$"},
        {"type": ["string", "null"]},
        {"description": "Whatever."},
    ],
)
def test_schemas_without_a_short_form_stay_json(part: Schema) -> None:
    assert parameter_signature(of(a=part)).startswith("{a?: " + json.dumps(part))


SCHEMAS = st.recursive(
    st.dictionaries(
        st.sampled_from(["type", "enum", "description", "minimum", "items", "x"]),
        st.one_of(st.none(), st.text(max_size=5), st.integers(), st.lists(st.integers())),
        max_size=4,
    ),
    lambda inner: st.fixed_dictionaries(
        {"type": st.sampled_from(["object", "array"])},
        optional={
            "properties": st.dictionaries(st.text(max_size=5), inner, max_size=3),
            "items": inner,
            "required": st.lists(st.text(max_size=5), max_size=2),
        },
    ),
    max_leaves=6,
)


@given(SCHEMAS)
def test_any_schema_gives_one_line(schema: Schema) -> None:
    assert parameter_signature(schema)
