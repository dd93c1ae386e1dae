from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.json_text import JsonPath, json_layout, path_text

TEXT = """{
  "a": [1, {"b": "x, {y}: \\"z\\""}],

  "c": {}, "d": [], "e": [[],
    null],
  "a ": true
}
"""


def test_every_value_has_its_line() -> None:
    layout = json_layout(TEXT)
    assert layout.line(()) == 1
    assert layout.line(("a", 1, "b")) == 2
    assert layout.line(("c",)) == layout.line(("d",)) == 4
    assert layout.line(("e", 1)) == 5
    assert layout.line(("a ",)) == 6
    assert layout.line(("a", 7, "missing")) == 2
    start, end = layout.spans["a", 1, "b"]
    assert json.loads(TEXT[start:end]) == 'x, {y}: "z"'


def test_a_duplicate_field_is_found() -> None:
    assert json_layout('{"a": 1, "b": {"a": 2, "a": 3}}').twice == (("b", "a"),)
    assert json_layout('[{"a": 1}, {"a": 1}]').twice == ()


def test_paths_as_text() -> None:
    assert path_text(("models", 0, "id")) == "models[0].id"
    assert path_text(()) == ""
    assert path_text((3,)) == "[3]"


def leaves(value: Any, path: JsonPath = ()) -> list[tuple[JsonPath, Any]]:
    if isinstance(value, dict) and value:
        return [leaf for name, inner in value.items() for leaf in leaves(inner, (*path, name))]
    if isinstance(value, list) and value:
        return [leaf for at, inner in enumerate(value) for leaf in leaves(inner, (*path, at))]
    return [(path, value)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 0, 2]), st.booleans())
def test_any_json_is_laid_out(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    layout = json_layout(text)
    assert layout.twice == ()
    for path, leaf in leaves(value):
        start, end = layout.spans[path]
        if not isinstance(leaf, dict | list):
            assert json.loads(text[start:end]) == leaf
        assert layout.line(path) == text.count("\n", 0, start) + 1
