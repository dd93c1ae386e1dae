"""Values are changed in a JSON text, and everything else stays as it was written."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.json_edit import edited, laid_out
from neodeskpet.core.json_text import plain_json

TEXT = """\
// the servers of my desk
{
    "mcpServers": {
        /* notes */
        "notes": {
            "command": "uvx", // from uv
            "args": ["notes-mcp", "--safe"],
        },
        "web": {"command": "npx", "args": []}, // a comment behind it
    },
    "mine": [1, 2, 3] // kept
}
"""


def test_unchanged_parts_stay_byte_for_byte() -> None:
    wanted = json.loads(plain_json(TEXT))
    assert edited(TEXT, wanted) == TEXT
    wanted["mcpServers"]["notes"]["command"] = "pipx"
    wanted["allowed"] = {"notes": "abc"}
    assert edited(TEXT, wanted) == TEXT.replace('"uvx"', '"pipx"').replace(
        "[1, 2, 3] // kept\n",
        '[1, 2, 3], // kept\n    "allowed": {\n        "notes": "abc"\n    }\n',
    )


def test_members_are_removed_with_their_lines() -> None:
    wanted = json.loads(plain_json(TEXT))
    del wanted["mcpServers"]["notes"], wanted["mine"]
    expected = re.sub(r'        "notes": \{.*?\n        \},\n', "", TEXT, flags=re.DOTALL)
    expected = expected.replace('    },\n    "mine": [1, 2, 3] // kept', "    }\n // kept")
    assert edited(TEXT, wanted) == expected


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("{}", {"a": 1}, '{\n  "a": 1\n}'),
        ('{"a": 1, "b": 2}', {"a": 1}, '{"a": 1}'),
        ('{"a": 1, "b": 2}', {"b": 2}, '{"b": 2}'),
        ('{"a": 1}', {"a": 1, "b": [2]}, '{"a": 1, "b": [2]}'),
        ('{"a": {}}', {"a": {"b": [1]}}, '{"a": {"b": [1]}}'),
        ('{"a": 1, "b": 2}', {"c": 3}, '{"c": 3}'),
        ('{"a": 1, "b": 2,}', {"c": 3}, '{"c": 3,}'),
        ('{\r\n\t"a": 1\r\n}', {"a": 1, "b": 2}, '{\r\n\t"a": 1,\r\n\t"b": 2\r\n}'),
        ('{\n "a": {} // x\n}', {"a": {"b": 1}}, '{\n "a": {\n  "b": 1\n } // x\n}'),
        ('{"a": { // x\n}}', {"a": {"b": 1}}, '{"a": { // x\n  "b": 1\n}}'),
        ("[1, 2, 3]", [1, 3], "[1, 3]"),
        ("[1, 3]", [1, 2, 3], "[1, 2, 3]"),
        ("[2]", [1, 2], "[1, 2]"),
        ("[\n  2\n]", [1, 2], "[\n  1,\n  2\n]"),
        ("[1, 2] // x", {"a": 1}, '{"a": 1} // x'),
        ('{"a": 1, "a": 2}', {"a": 3}, '{"a": 1, "a": 3}'),
        ('{"a": 1 /* x */, "b": 2}', {"b": 2}, '{/* x */ "b": 2}'),
        ("[1]", [True], "[true]"),
        ('["\\ud83d"]', ["\ufffd", "\ud83d"], '["\\ud83d", "\\ud83d"]'),
        ("[NaN]", [float("nan"), 1], "[NaN, 1]"),
        ('{\n  "a": 1,\n  "b": 2,\n  // x\n}', {"a": 1}, '{\n  "a": 1,\n  // x\n}'),
    ],
)
def test_changes_keep_the_layout(text: str, wanted: object, expected: str) -> None:
    assert edited(text, wanted) == expected


def test_a_new_text_is_laid_out_as_people_write() -> None:
    assert (
        laid_out({"é": [1], "b": "\ud83d"})
        == '{\n  "\\u00e9": [\n    1\n  ],\n  "b": "\\ud83d"\n}\n'
    )
    assert laid_out({"é": {}}) == '{\n  "é": {}\n}\n'


@pytest.mark.parametrize(
    "text",
    ["", "{", "{]", '{"a" 1}', "[,]", "[1,,2]", "1/**/2", "[" * 100_000],
)
def test_invalid_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        edited(text, {})


NAMES = st.text('ab"/*é,}', max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.floats(allow_nan=False) | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def written(draw: st.DrawFn) -> tuple[str, object]:
    """Draw a value, and a text of it with comments at any place, in any layout."""
    value = draw(VALUES)
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    count = 0

    def noise() -> str:
        nonlocal count
        kinds = ["", "", " ", newline, f"{newline}  ", "/*{}*/", "//{}" + newline, " /*{}\n*/ "]
        count += 1
        return draw(st.sampled_from(kinds)).format(f"N{count}N")

    def write(one: object) -> str:
        if not isinstance(one, dict | list) or not one:
            return json.dumps(one, ensure_ascii=False)
        parts = (
            [f"{json.dumps(name)}{noise()}:{noise()}{write(item)}" for name, item in one.items()]
            if isinstance(one, dict)
            else [write(item) for item in one]
        )
        joined = "".join(
            f"{noise()}{part}{noise()}{',' if number < len(parts) - 1 or ended else ''}"
            for ended in [draw(st.booleans())]
            for number, part in enumerate(parts)
        )
        return f"{{{joined}{noise()}}}" if isinstance(one, dict) else f"[{joined}{noise()}]"

    text = f"{noise()}{write(value)}{noise()}"
    return text, value


@st.composite
def changed(draw: st.DrawFn, value: object) -> object:
    """Draw the value after some changes."""
    what = draw(st.integers(0, 5))
    if what == 0 or not isinstance(value, dict | list):
        return draw(VALUES) if what < 2 else value
    if isinstance(value, dict):
        kept = {name: draw(changed(one)) for name, one in value.items() if draw(st.booleans())}
        return kept | draw(st.dictionaries(NAMES, VALUES, max_size=2))
    items = [draw(changed(one)) for one in value if draw(st.integers(0, 3))]
    at = draw(st.integers(0, len(items)))
    return [*items[:at], *draw(st.lists(VALUES, max_size=2)), *items[at:]]


@given(written(), st.data())
def test_any_change_of_any_text(source: tuple[str, object], data: st.DataObject) -> None:
    text, value = source
    assert json.loads(plain_json(text)) == value
    assert edited(text, value) == text
    wanted = data.draw(changed(value))
    new = edited(text, wanted)
    assert json.dumps(json.loads(plain_json(new)), sort_keys=True) == json.dumps(
        wanted, sort_keys=True
    )
    assert edited(new, wanted) == new


@given(written(), NAMES, VALUES)
def test_new_members_lose_no_comment(source: tuple[str, object], name: str, value: object) -> None:
    text, before = source
    if isinstance(before, dict):
        new = edited(text, {**before, name: value} if name not in before else before)
        assert re.findall(r"N\d+N", new) == re.findall(r"N\d+N", text)


@given(written(), st.data())
def test_removed_members_lose_their_own_comments_alone(
    source: tuple[str, object], data: st.DataObject
) -> None:
    text, before = source
    if isinstance(before, dict) and before:
        gone = data.draw(st.sampled_from(sorted(before)))
        plain = not isinstance(before[gone], dict | list)
        new = edited(text, {name: one for name, one in before.items() if name != gone})
        lost = set(re.findall(r"N\d+N", text)) - set(re.findall(r"N\d+N", new))
        assert not plain or len(lost) <= 2  # Only comments between its name and its value.
