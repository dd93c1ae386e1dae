"""Parameters of an action: validation, and their description for a model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from neodeskpet.core.app_windows.action_parameters import action_signature, parameter_errors

ANY = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "text": {"type": "string"},
        "tag": {"type": "string", "default": ""},
        "limit": {"type": "integer", "default": 10},
        "a": {"type": "array", "items": {"type": "integer"}},
        "mood": {"enum": ["glad", "sad"], "type": "string"},
        "share": {"type": "number"},
        "sure": {"type": "boolean"},
        "nothing": {"type": "null"},
        "which": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]},
        "place": {
            "type": "object",
            "properties": {"x": {"type": "integer"}},
            "required": ["x"],
        },
        "open": {"type": "object"},
        "list": {"type": "array"},
        "any": {},
        "two": {"type": ["string", "integer"]},
    },
    "required": ["text"],
}


def told(params: dict[str, object]) -> list[str]:
    return [str(fault) for fault in parameter_errors(ANY, params)]


def test_a_signature_names_types_defaults_and_optional_parameters() -> None:
    assert action_signature(ANY) == (
        "{text:string, tag?:string, limit?:integer=10, a?:array<integer>, mood?:'glad'|'sad', "
        "share?:number, sure?:boolean, nothing?:null, which?:integer|array, place?:{x:integer}, "
        "open?:object, list?:array, any?:any, two?:string|integer}"
    )
    assert action_signature({}) == "{}"


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"text": "x"}, []),
        ({"text": "x", "limit": None}, []),
        ({}, ["params.text is required."]),
        ({"text": None}, ["params.text must be string."]),
        ({"text": "x", "a": ["no"]}, ["params.a[0] must be integer."]),
        ({"text": "x", "a": [1, True]}, ["params.a[1] must be integer."]),
        ({"text": "x", "a": 3}, ["params.a must be array."]),
        ({"text": "x", "limit": "3"}, ["params.limit must be integer."]),
        ({"text": "x", "limit": 3.5}, ["params.limit must be integer."]),
        ({"text": "x", "mood": "odd"}, ['params.mood must be one of "glad", "sad".']),
        ({"text": "x", "which": [1]}, ["params.which[0] must be string."]),
        ({"text": "x", "which": "1"}, ["params.which must be integer or array."]),
        ({"text": "x", "place": {}}, ["params.place.x is required."]),
        ({"text": "x", "two": 1.5}, ["params.two must be string or integer."]),
        (
            {"text": 1, "share": "x"},
            ["params.text must be string.", "params.share must be number."],
        ),
    ],
)
def test_each_error_has_its_path(params: dict[str, object], said: list[str]) -> None:
    assert told(params) == said


def test_an_unknown_parameter_is_answered_with_the_known_ones() -> None:
    (fault,) = told({"text": "x", "tga": "y"})
    assert fault.startswith("params.tga is no parameter; there are: text, tag, limit")
    assert [str(one) for one in parameter_errors({}, {"x": 1})] == [
        "params.x is no parameter; there are: —."
    ]


_SCALAR = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.sampled_from("ab")
_VALUE = st.recursive(
    _SCALAR | st.sampled_from(["glad", "sad"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner),
    max_leaves=6,
)
_PARAMS = st.dictionaries(st.sampled_from([*ANY["properties"], "odd"]), _VALUE, max_size=5)  # type: ignore[misc]


@given(_PARAMS)
def test_what_is_accepted_is_what_json_schema_accepts(params: dict[str, object]) -> None:
    """Except that an optional parameter may be null, at the top level and below."""
    required = {"text", "nothing", "any"}
    meant = {key: one for key, one in params.items() if one is not None or key in required}
    valid = Draft202012Validator(ANY).is_valid(meant)
    assert (not parameter_errors(ANY, params)) is valid, json.dumps(params)
