"""YAML of other programs: plain values, and nothing that grows while it is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.language import set_language
from neodeskpet.llm.catalog.yaml_config import MOST_LEVELS, read_yaml


@pytest.fixture(autouse=True)
def english() -> None:
    set_language("en")


def refused(text: str) -> str:
    with pytest.raises(ValueError) as caught:
        read_yaml(text)
    return str(caught.value)


def test_plain_values() -> None:
    text = "# a comment\na: &a {x: 1, y: [true, 2.5, null]}\nb: {<<: *a, x: two}\n中: 文\n"
    shared = {"x": 1, "y": [True, 2.5, None]}
    assert read_yaml(text) == {"a": shared, "b": {**shared, "x": "two"}, "中": "文"}
    assert read_yaml("") is None


def test_aliases_can_not_multiply_values() -> None:
    lists = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    merged = "m0: &m0 {x: 1, y: 2}\n"
    for n in range(9):
        lists += f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n"
        merged += f"m{n + 1}: &m{n + 1} {{<<: [{', '.join([f'*m{n}'] * 9)}]}}\n"
    assert "too large" in refused(lists)
    assert "too large" in refused(merged)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: &a [*a]", "contains itself"),
        ("a: *nothing", "contains itself"),
        ("[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1), "nested"),
        ("a: " + "9" * 100_000, "a number that is too long"),
        ("a: 1" + ":59" * 100_000, "a number that is too long"),
        ("a: b\nc: [sk-secret", "it isn't well-formed YAML"),
        ("a: 1\nb: !!python/object/apply:os.system [sk-secret]", "line 2: it has a value of an"),
        ("a: 1\n---\nb: 2", "line 2: it isn't well-formed"),
        ("when: 2026-99-99", ""),
    ],
)
def test_refused_documents(text: str, reason: str) -> None:
    said = refused(text)
    assert reason in said
    assert "sk-secret" not in said


@given(st.text(alphabet="ab:-&*[]{}<>!#|'\"\n 1", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_yaml(text)
    except ValueError as error:
        assert str(error)
