"""Arguments as fields: untouched ones are unchanged, edited ones are validated strictly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.ui.chat.argument_form import (
    MISSING,
    FieldKind,
    InvalidFieldText,
    argument_fields,
    parse_fields,
)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(["path", "text", "count", "loud", "mood", "tags"]) | st.text(max_size=3)
SCHEMA = {
    "properties": {
        "path": {"type": "string", "description": "Where\nto."},
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "loud": {"type": "boolean"},
        "mood": {"enum": ["happy", "sad", 3]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "more": {"type": ["string", "null"]},
    },
    "required": ["path", "mood"],
}
GIVEN = {"path": "/a", "text": "two\nlines", "count": 3, "tags": ["x"], "odd": {"y": None}}


def edited(changes: dict[str, str]) -> dict[str, object]:
    fields = argument_fields(SCHEMA, GIVEN)
    return parse_fields(fields, [changes.get(one.name, one.text) for one in fields])


def test_each_argument_has_a_fitting_field() -> None:
    kinds = {one.name: one.kind for one in argument_fields(SCHEMA, GIVEN)}
    assert kinds == {
        "path": FieldKind.LINE,
        "text": FieldKind.TEXT,
        "count": FieldKind.INTEGER,
        "share": FieldKind.NUMBER,
        "loud": FieldKind.CHOICE,
        "mood": FieldKind.CHOICE,
        "tags": FieldKind.JSON,
        "more": FieldKind.JSON,
        "odd": FieldKind.JSON,
    }
    path, *_, loud, mood, _, _, odd = argument_fields(SCHEMA, GIVEN)
    assert (path.required, path.description) == (True, "Where to.")
    assert loud.choices == ("", "true", "false")
    assert mood.choices == ('"happy"', '"sad"', "3")
    assert (mood.value, odd.text) == (MISSING, '{"y": null}')


def test_untouched_arguments_are_unchanged() -> None:
    assert edited({}) == GIVEN


def test_edited_arguments_are_read() -> None:
    changes = {
        "path": "/b",
        "text": "",
        "count": " 7 ",
        "share": "0.5",
        "loud": "true",
        "mood": '"sad"',
        "tags": '["y"]',
        "odd": "",
    }
    assert edited(changes) == {
        "path": "/b",
        "count": 7,
        "share": 0.5,
        "loud": True,
        "mood": "sad",
        "tags": ["y"],
    }
    assert edited({"share": "2"})["share"] == 2
    assert edited({"path": ""})["path"] == ""


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("count", "1.5", "Enter a whole number."),
        ("share", "much", "Enter a number."),
        ("share", "inf", "Enter a number."),
        ("tags", "[", "This isn't valid JSON."),
        ("mood", "", "This isn't valid JSON."),
    ],
)
def test_invalid_input_is_named(name: str, text: str, reason: str) -> None:
    if name == "mood":
        fields = argument_fields({**SCHEMA, "required": ["mood"]}, {"mood": "sad"})
        texts = [text if one.name == name else one.text for one in fields]
        with pytest.raises(InvalidFieldText) as fault:
            parse_fields(fields, texts)
    else:
        with pytest.raises(InvalidFieldText) as fault:
            edited({name: text})
    assert (fault.value.field, fault.value.reason) == (name, reason)


@pytest.mark.parametrize("value", ["a\u202eb", "a\u00a0b", "a\rb", "\ud83d"])
def test_hidden_characters_are_shown_as_json(value: str) -> None:
    (field,) = argument_fields({"properties": {"path": {"type": "string"}}}, {"path": value})
    assert field.kind is FieldKind.JSON
    assert value not in field.text
    assert parse_fields([field], [field.text]) == {"path": value}
    assert parse_fields([field], ['"a\\u202ec"']) == {"path": "a\u202ec"}


def test_a_value_that_does_not_fit_its_schema_is_shown_unchanged() -> None:
    schema = {"properties": {"count": {"type": "integer"}, "mood": {"enum": ["happy"]}}}
    count, mood = argument_fields(schema, {"count": "many", "mood": "angry"})
    assert (count.kind, count.text) == (FieldKind.JSON, '"many"')
    assert mood.choices == ("", '"happy"', '"angry"')


@given(st.dictionaries(names, json_values, max_size=5))
def test_any_arguments_are_returned_unchanged(arguments: dict[str, object]) -> None:
    fields = argument_fields(SCHEMA, arguments)
    assert parse_fields(fields, [one.text for one in fields]) == arguments
